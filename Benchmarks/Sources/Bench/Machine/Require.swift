/// Ends the run if a contestant has not done its work: what did less would be faster.
func require(_ isDone: @autoclosure () throws -> Bool) rethrows {
    let isDone = try isDone()
    precondition(isDone)
}
