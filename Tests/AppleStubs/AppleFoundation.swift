// swift-format-ignore-file: AlwaysUseLowerCamelCase
// What Foundation has, or hands on, on Apple's systems and not on Linux. The check has every file that imports Foundation import
// this too.

@_exported import Darwin
@_exported import Foundation
@_exported import ObjectiveC

// Core Foundation's types, of which Linux has the ones that they can be cast to.
// https://developer.apple.com/documentation/corefoundation/cfdata
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public typealias CFData = NSData
// https://developer.apple.com/documentation/corefoundation/cfdictionary
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public typealias CFDictionary = NSDictionary
// https://developer.apple.com/documentation/corefoundation/cfmutabledata
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public typealias CFMutableData = NSMutableData
// https://developer.apple.com/documentation/corefoundation/cfstring
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public typealias CFString = NSString

// https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure
@available(iOS 8, macOS 10.10, tvOS 9, watchOS 2, visionOS 1, *)
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {}

@available(iOS 8, macOS 10.10, tvOS 9, watchOS 2, visionOS 1, *)
extension DispatchSource {
    // https://developer.apple.com/documentation/dispatch/dispatchsource/memorypressureevent
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let warning = Self(rawValue: 2)
        public static let critical = Self(rawValue: 4)
    }

    // https://developer.apple.com/documentation/dispatch/dispatchsource/makememorypressuresource(eventmask:queue:)
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { fatalError() }
}

// https://developer.apple.com/documentation/foundation/nsselectorfromstring(_:)
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public func NSSelectorFromString(_ name: String) -> Selector { Selector() }

#if !OS_macOS
    extension NSNotification.Name {
        // https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsextensionhostdidenterbackground
        @available(iOS 8.2, tvOS 9, watchOS 2, visionOS 1, *)
        public static let NSExtensionHostDidEnterBackground = NSNotification.Name(
            "NSExtensionHostDidEnterBackgroundNotification")
        // https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsextensionhostwillenterforeground
        @available(iOS 8.2, tvOS 9, watchOS 2, visionOS 1, *)
        public static let NSExtensionHostWillEnterForeground = NSNotification.Name(
            "NSExtensionHostWillEnterForegroundNotification")
    }

    extension ProcessInfo {
        // https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
        @available(iOS 8.2, tvOS 9, watchOS 2, visionOS 1, *)
        public func performExpiringActivity(
            withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
        ) {}
    }
#endif

@available(iOS 1, macOS 10.0, tvOS 1, watchOS 1, visionOS 1, *)
extension NSObject {
    // A class is an object too.
    // https://developer.apple.com/documentation/objectivec/nsobjectprotocol/responds(to:)
    public static func responds(to selector: Selector!) -> Bool { false }
    // https://developer.apple.com/documentation/objectivec/nsobjectprotocol/perform(_:)
    public static func perform(_ selector: Selector!) -> Unmanaged<AnyObject>! { nil }
}
