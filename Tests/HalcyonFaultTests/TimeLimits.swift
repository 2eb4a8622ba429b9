import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. It is far longer than any test needs, because a test's clock also runs while the hundreds that began
    /// with it have the processors: under a sanitizer, on two of them, that is minutes.
    static var endsEvenIfItHangs: Self { .timeLimit(.minutes(20)) }
}
