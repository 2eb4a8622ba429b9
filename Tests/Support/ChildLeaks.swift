internal import Foundation

/// Leaks in the processes of exit tests.
package enum ChildLeaks {
    /// The address sanitizer cannot follow all of Swift's references, so it reports what a process has in its globals when it ends (the
    /// default cache, an open storage) as leaks. Memory errors still end the child, and leaks in the tests' own process are still reported.
    package static func areNotCounted() { setenv("ASAN_OPTIONS", "detect_leaks=0", 1) }
}
