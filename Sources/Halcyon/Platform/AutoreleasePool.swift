#if canImport(ObjectiveC)
    internal import ObjectiveC
#endif

/// Runs `body`, and releases what it has autoreleased. A queue may do so only after all its pending work.
func withAutoreleasePool<Result>(_ body: () -> Result) -> Result {
    #if canImport(ObjectiveC)
        autoreleasepool(invoking: body)
    #else
        body()
    #endif
}
