/// What the migration to version 7 leaves for later, because it takes time in proportion to the entries. In this order.
enum UpgradeStep: Int, CaseIterable {
    case index = 4, formerIndexes = 3, hosts = 2, listing = 1

    var next: UpgradeStep? { UpgradeStep(rawValue: rawValue - 1) }
}
