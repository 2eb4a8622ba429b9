// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The runtime, as its Swift module has it.

// https://developer.apple.com/documentation/objectivec/selector
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public struct Selector: Sendable {
    public init() {}
}

// https://developer.apple.com/documentation/objectivec/objc_associationpolicy
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public enum objc_AssociationPolicy: UInt, Sendable {
    case OBJC_ASSOCIATION_ASSIGN = 0
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    case OBJC_ASSOCIATION_RETAIN = 769
    case OBJC_ASSOCIATION_COPY = 771
}

// https://developer.apple.com/documentation/objectivec/objc_getassociatedobject(_:_:)
@available(iOS 3.1, macOS 10.6, tvOS 9, watchOS 1, visionOS 1, *)
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? { nil }
// https://developer.apple.com/documentation/objectivec/objc_setassociatedobject(_:_:_:_:)
@available(iOS 3.1, macOS 10.6, tvOS 9, watchOS 1, visionOS 1, *)
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {}

// https://developer.apple.com/documentation/objectivec/autoreleasepool(invoking:)
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
