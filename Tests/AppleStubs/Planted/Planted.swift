// Uses of what came after the oldest systems, for the proof that Scripts/availability finds the lines that say so, and no others.

internal import Foundation
internal import PlantedStub
internal import Synchronization

struct Planted {
    let patience: Duration  // newer, not than visionOS 1
    let started = ContinuousClock.now  // newer, not than visionOS 1
    let counter: Holder<Atomic<Int>>  // newer
    let thing: NewThing  // newer

    func wait(_ time: Duration) async throws {  // newer, not than visionOS 1
        try await Task.sleep(for: time)  // newer, not than visionOS 1
    }

    func cut(_ text: String) -> String {
        text.replacing("a", with: "b")  // newer, not than visionOS 1
    }

    func size(of thing: OldThing) -> Int {
        thing.size + thing.newSize  // newer
    }

    func isPlanted(_ value: Any) -> Bool {
        print(Mutex<Int>.self)  // newer
        return value is Duration  // newer, not than visionOS 1
    }

    func isInteresting(_ url: URL) -> Bool {
        url.path == url.path(percentEncoded: false)  // newer, not than visionOS 1
    }
}

final class Holder<Value: ~Copyable> {}

extension Duration {  // newer, not than visionOS 1
}

protocol Ticking: Clock {}  // newer, not than visionOS 1

// What the sources themselves declare for newer systems.
@available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
func onlyNewer(_ thing: NewThing) -> Int { thing.size }

func askingTooLittle() {
    if #available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1, *) {
        print(NewThing())  // newer
    }
    if #unavailable(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1) {
        print(NewThing())  // newer
    } else {
        print(NewThing(), onlyNewer(NewThing()))
    }
    guard #available(iOS 17.4, *) else {
        print(NewThing().size)  // newer
        return
    }
}

func asking(_ thing: OldThing) {
    print(onlyNewer(.init()))  // newer
    if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *), thing.newSize > 0 {
        print(NewThing(), ContinuousClock.now)
    }
    guard #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) else { return }
    print(onlyNewer(NewThing()), thing.newSize, Duration.seconds(1))
}

struct Guarded {
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    static let thing = NewThing()

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    func onlyNewer(for time: Duration) -> Int { Self.thing.size }
}

// What says nothing of its age, and is not in Known.txt.
func asksNobody() {
    _ = getpgid(0)  // unknown: C: getpgid
    _ = CharacterSet.illegalCharacters  // unknown: Foundation: CharacterSet.illegalCharacters
}
