// swift-format-ignore-file: AlwaysUseLowerCamelCase
// What Foundation has, or hands on, on Apple's systems and not on Linux. The check has every file that imports Foundation import
// this too.

@_exported import Darwin
@_exported import Foundation
@_exported import ObjectiveC

// Core Foundation's types, of which Linux has the ones that they can be cast to.
public typealias CFData = NSData
public typealias CFDictionary = NSDictionary
public typealias CFMutableData = NSMutableData
public typealias CFString = NSString

#if OBJC
    @objc
#endif
public protocol NSDiscardableContent {
    func beginContentAccess() -> Bool
    func endContentAccess()
    func discardContentIfPossible()
    func isContentDiscarded() -> Bool
}

public func NSSelectorFromString(_ name: String) -> Selector { Selector() }

#if !OS_macOS
    extension ProcessInfo {
        // https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
        @available(iOS 8.2, tvOS 9, watchOS 2, visionOS 1, *)
        public func performExpiringActivity(
            withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
        ) {}
    }
#endif

extension NSObject {
    // A class is an object too.
    public static func responds(to selector: Selector!) -> Bool { false }
    public static func perform(_ selector: Selector!) -> Unmanaged<AnyObject>! { nil }
}
