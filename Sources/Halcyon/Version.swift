/// The version of this library, as [Semantic Versioning](https://semver.org) has it; the changelog says what it has that the one before
/// had not. The index has a version of its own: see <doc:Upgrading>.
public let halcyonVersion = "0.1.0"
