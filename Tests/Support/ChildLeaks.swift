internal import Foundation

/// Leaks in the processes of exit tests.
package enum ChildLeaks {
    /// What a process has in its globals when it ends (the default cache, an open storage) counts as leaked under the address
    /// sanitizer, which cannot follow all of Swift's references. Errors of memory still end the child, and the tests' own
    /// process is looked at as ever.
    package static func areNotCounted() { setenv("ASAN_OPTIONS", "detect_leaks=0", 1) }
}
