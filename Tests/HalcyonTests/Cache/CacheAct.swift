/// One call on an image cache, or a moment from which its work on disk stops or continues.
enum CacheAct: Equatable, Sendable {
    /// A key with a processor's identifier: the key's other image is a variant of it.
    struct Name: Hashable, Sendable, CustomDebugStringConvertible {
        var key = "a"
        var processor = ""

        var debugDescription: String { processor.isEmpty ? key : "\(key) by \(processor)" }

        static let all = ["a", "b"].flatMap { key in ["", "p"].map { Name(key: key, processor: $0) } }
    }

    case store(Name, Int)
    case storeInMemory(Name, Int)
    case storeToDisk(Name, Int)
    case remove(Name, fromMemory: Bool, fromDisk: Bool)
    case removeVariants(String, fromMemory: Bool, fromDisk: Bool)
    case clearMemory, clearDisk, clear, clean
    case load(Name)
    /// Begins a load, and goes on.
    case beginLoad(Name)
    case loadNow(Name)
    case loadFromDisk(Name)
    case fetch(Name, Int)
    case pause, resume

    static func random(using generator: inout some RandomNumberGenerator) -> CacheAct {
        let name = Name.all.randomElement(using: &generator) ?? Name()
        let number = Int.random(in: 0..<4, using: &generator)
        let (first, second) = (Bool.random(using: &generator), Bool.random(using: &generator))
        return switch Int.random(in: 0..<33, using: &generator) {
        case 0..<5: .store(name, number)
        case 5..<7: .storeInMemory(name, number)
        case 7..<11: .storeToDisk(name, number)
        case 11..<14: .remove(name, fromMemory: first, fromDisk: second)
        case 14..<16: .removeVariants(name.key, fromMemory: first, fromDisk: second)
        case 16..<18: .clearMemory
        case 18: .clearDisk
        case 19: .clear
        case 20..<22: .load(name)
        case 22..<24: .loadNow(name)
        case 24: .loadFromDisk(name)
        case 25: .fetch(name, number)
        case 26: .clean
        case 27..<29: .pause
        case 29..<32: .beginLoad(name)
        default: .resume
        }
    }
}
