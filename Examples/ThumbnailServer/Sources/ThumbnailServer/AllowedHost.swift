import Foundation

/// A host and a port from which images may be fetched.
struct AllowedHost: Hashable, Sendable {
    let name: String
    let port: Int

    /// nil unless the scheme is http or https, and there is a host.
    init?(_ parts: URLComponents) {
        guard let name = parts.host?.lowercased(), !name.isEmpty,
            let port = parts.port ?? Self.defaultPort(of: parts.scheme), Self.defaultPort(of: parts.scheme) != nil
        else { return nil }
        (self.name, self.port) = (name, port)
    }

    static func defaultPort(of scheme: String?) -> Int? { ["http": 80, "https": 443][scheme?.lowercased() ?? ""] }

    /// The hosts that a value of `--allow` means: `HOST:PORT`, or `HOST` with the default ports. nil for anything else.
    static func allowed(by text: String) -> Set<AllowedHost>? {
        let hosts = ["http", "https"].compactMap { scheme -> AllowedHost? in
            guard let parts = URLComponents(string: "\(scheme)://\(text)"), parts.user == nil, parts.path.isEmpty,
                parts.query == nil, parts.fragment == nil, (1...65_535).contains(parts.port ?? 1), text.last != ":",
                !text.contains(where: "*,".contains)
            else { return nil }
            return AllowedHost(parts)
        }
        return hosts.isEmpty ? nil : Set(hosts)
    }
}
