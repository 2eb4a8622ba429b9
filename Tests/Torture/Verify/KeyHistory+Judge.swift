/// The allowed answers: those that one order of all changes explains, in which each change took effect at one moment between its beginning
/// and its end.
extension KeyHistory {
    func violations(key: String) -> [Violation] {
        let settled = settlingWhatWasSeen()
        return looks.compactMap { look in
            settled.fault(of: look).map { kind in Violation(kind, details: settled.story(of: key, look)) }
        }
    }

    /// A value that a process has seen was stored by then, even if its store was interrupted. So a later lookup must not find the previous
    /// value again. Afterwards the changes are sorted by their beginning.
    private func settlingWhatWasSeen() -> KeyHistory {
        var seen: [StoreID: Int64] = [:]
        for look in looks {
            guard case .value(let store) = look.result else { continue }
            seen[store] = min(seen[store] ?? .max, look.span.end)
        }
        var settled = self
        settled.changes = changes.sorted { $0.span.begin < $1.span.begin }.map { change in
            guard let store = change.store, let time = seen[store] else { return change }
            let span = Span(begin: change.span.begin, end: max(change.span.begin, min(change.span.end, time)))
            return Change(kind: change.kind, span: span, isCertain: true)
        }
        return settled
    }

    /// nil if the lookup is allowed.
    private func fault(of look: Look) -> Violation.Kind? {
        switch look.result {
        case .value(let store):
            guard let change = changes.first(where: { $0.store == store }), change.span.begin <= look.span.end else {
                return .invented
            }
            return isReplaced(change, before: look) ? .resurrected : nil
        case .something:
            return changes.reversed().contains { $0.store != nil && mayBeLast($0, at: look) } ? nil : .resurrected
        case .nothing:
            return changes.reversed().contains { $0.admitsMiss && mayBeLast($0, at: look) } ? nil : .lost
        }
    }

    /// Whether a lookup may find the key as this change left it.
    private func mayBeLast(_ change: Change, at look: Look) -> Bool {
        change.span.begin <= look.span.end && !isReplaced(change, before: look)
    }

    /// Whether another change certainly took effect after this one and before the lookup.
    private func isReplaced(_ change: Change, before look: Look) -> Bool {
        changes.contains { $0.isCertain && $0.span.begin > change.span.end && $0.span.end < look.span.begin }
    }

    // MARK: For people

    /// The lookup, and the changes of the key around it.
    private func story(of key: String, _ look: Look) -> [String] {
        let shown = changes.filter { $0.span.begin <= look.span.end }.suffix(12)
        return ["key \(key): \(look.by) saw \(look.result.text), \(look.span.text)"]
            + shown.map { "\($0.kind.text)\($0.isCertain ? "" : " (perhaps)"), \($0.span.text)" }
    }
}

extension KeyHistory.Span {
    fileprivate var text: String { begin == .min ? "before the round" : "\(begin)…\(end)" }
}

extension KeyHistory.Look.Result {
    fileprivate var text: String {
        switch self {
        case .value(let store): "the value of store \(store)"
        case .something: "that a value is there"
        case .nothing: "a miss"
        }
    }
}

extension KeyHistory.Change.Kind {
    fileprivate var text: String {
        switch self {
        case .store(let store, let isLasting): "store \(store)\(isLasting ? "" : ", brief")"
        case .removal: "removal"
        }
    }
}
