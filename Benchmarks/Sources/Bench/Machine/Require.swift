/// Ends the run if a contestant has not done its work, because it would look faster.
func require(_ isDone: @autoclosure () throws -> Bool) rethrows {
    let isDone = try isDone()
    precondition(isDone)
}
