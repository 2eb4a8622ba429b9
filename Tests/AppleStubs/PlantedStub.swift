// Stands for a stub of something that came after the oldest systems: for the proof that Scripts/availability finds its uses.

@available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
public struct NewThing: Sendable {
    public init() {}
    public var size: Int { 0 }
}

@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1, *)
public struct OldThing: Sendable {
    public init() {}
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public var newSize: Int { 0 }
    public var size: Int { 0 }
}
