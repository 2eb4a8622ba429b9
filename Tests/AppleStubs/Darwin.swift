// swift-format-ignore-file: AlwaysUseLowerCamelCase
// What the C library of Apple's systems has beyond Glibc's, or under other names. No page names
// a version of a system: the manual pages name the BSD that had it first.

@_exported import DarwinStatfs
@_exported import Glibc

// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/stat.2.html
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
extension stat {
    public var st_mtimespec: timespec { st_mtim }
    public var st_ctimespec: timespec { st_ctim }
    public var st_birthtimespec: timespec { st_mtim }
}

// Not confirmed by a page: <sys/stat.h> has it beside `utimensat`, which is there since iOS 11.
@available(iOS 11, macOS 10.13, tvOS 11, watchOS 4, visionOS 1, *)
public let UTIME_NOW: Int32 = -1
// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/statfs.2.html
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public let MNT_LOCAL: Int32 = 0x1000

// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/directory.3.html
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public struct DIR {}
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { nil }
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public func readdir(_ directory: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { nil }
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
@discardableResult
public func closedir(_ directory: UnsafeMutablePointer<DIR>!) -> Int32 { 0 }

// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/sysctlbyname.3.html
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public func sysctlbyname(
    _ name: UnsafePointer<CChar>!, _ old: UnsafeMutableRawPointer!, _ oldCount: UnsafeMutablePointer<Int>!,
    _ new: UnsafeMutableRawPointer!, _ newCount: Int
) -> Int32 { 0 }
