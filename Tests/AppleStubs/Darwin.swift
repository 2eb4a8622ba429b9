// swift-format-ignore-file: AlwaysUseLowerCamelCase
// What the C library of Apple's systems has beyond Glibc's, or under other names.

@_exported import DarwinStatfs
@_exported import Glibc

extension stat {
    public var st_mtimespec: timespec { st_mtim }
    public var st_ctimespec: timespec { st_ctim }
    public var st_birthtimespec: timespec { st_mtim }
}

public let UTIME_OMIT: Int32 = -2
public let MNT_LOCAL: Int32 = 0x1000

public struct DIR {}
public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { nil }
public func readdir(_ directory: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { nil }
@discardableResult
public func closedir(_ directory: UnsafeMutablePointer<DIR>!) -> Int32 { 0 }

public func sysctlbyname(
    _ name: UnsafePointer<CChar>!, _ old: UnsafeMutableRawPointer!, _ oldCount: UnsafeMutablePointer<Int>!,
    _ new: UnsafeMutableRawPointer!, _ newCount: Int
) -> Int32 { 0 }
