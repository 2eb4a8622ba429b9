internal import ArgumentParser

/// The error for a command that does not exist.
enum UnknownCommand {
    /// Returns nil if the first argument, or the one after "help", is an option or one of the commands.
    static func error(in arguments: some Collection<String>, commands: [String]) -> ValidationError? {
        let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let name, !name.hasPrefix("-"), !commands.contains(name) else { return nil }
        let hint = nearest(to: name, in: commands).map { "Did you mean ‘\($0)’? " } ?? ""
        let shown = TextWidth.shortened(TextWidth.printable(name), to: 40)
        return ValidationError("There is no command ‘\(shown)’. \(hint)‘halcyon help’ lists the commands.")
    }

    /// The error for an option with an equals sign and nothing after it: the next argument would become its value.
    static func missingValue(in arguments: some Collection<String>) -> ValidationError? {
        let options = arguments.prefix { $0 != "--" }
        guard let option = options.first(where: { $0.hasPrefix("--") && $0.firstIndex(of: "=") == $0.indices.last })
        else { return nil }
        return ValidationError("‘\(option)’ has no value. If you mean an empty one, write \(option.dropLast()) ''.")
    }

    /// The error for a key or a file such as -photo.jpg: the parser would take its h for -h, print the help, and succeed.
    static func hiddenHelp(in arguments: some Collection<String>) -> ValidationError? {
        let name = arguments.prefix { $0 != "--" }.first {
            $0.hasPrefix("-") && !$0.hasPrefix("--") && !$0.hasPrefix("-o=") && $0.contains("h")
                && !["-h", "-help"].contains($0)
        }
        return name.map {
            ValidationError(
                "Unknown option ‘\(TextWidth.printable($0))’. Before keys and files that begin with -, write --. For the value "
                    + "of an option, write --option=VALUE.")
        }
    }

    /// At most a third of the letters, and two at least, may be wrong.
    static func nearest(to name: String, in commands: [String]) -> String? {
        let found = commands.map { (name: $0, distance: distance($0, name.lowercased())) }.min {
            $0.distance < $1.distance
        }
        return found.flatMap { $0.distance <= max(2, $0.name.count / 3) ? $0.name : nil }
    }

    /// Letters to insert, delete or replace (Levenshtein 1966).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.prefix(40))
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = corner + (right[column] == letter ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, corner + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
