/// The version of this library, per [Semantic Versioning](https://semver.org); the changelog lists the changes. The index has a
/// version of its own: see <doc:Upgrading>.
public let halcyonVersion = "0.2.0"
