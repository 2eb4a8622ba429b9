/// One line of a worker's log.
///
/// `> 12 123456789 store k7 4096 lasting` is the beginning of operation 12, `< 12 123459999 done` its result; the long number is the
/// machine's monotonic clock in nanoseconds, which all processes share. `! …` is a complaint of a worker.
enum Record: Equatable, Sendable {
    case began(number: Int, at: Int64, CacheOperation)
    case ended(number: Int, at: Int64, Outcome)
    case complaint(String)
}

extension Record: LosslessStringConvertible {
    var description: String {
        switch self {
        case .began(let number, let time, let operation): "> \(number) \(time) \(operation)"
        case .ended(let number, let time, let outcome): "< \(number) \(time) \(outcome)"
        case .complaint(let text): "! \(text)"
        }
    }

    init?(_ description: String) {
        if description.hasPrefix("! ") {
            self = .complaint(String(description.dropFirst(2)))
            return
        }
        let words = description.split(separator: " ", maxSplits: 3).map(String.init)
        guard words.count == 4, let number = Int(words[1]), let time = Int64(words[2]) else { return nil }
        switch words[0] {
        case ">":
            guard let operation = CacheOperation(words[3]) else { return nil }
            self = .began(number: number, at: time, operation)
        case "<":
            guard let outcome = Outcome(words[3]) else { return nil }
            self = .ended(number: number, at: time, outcome)
        default: return nil
        }
    }
}
