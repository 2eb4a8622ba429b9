/// What the migration to version 7 leaves for later, in this order, because the time it takes grows with the number of entries.
enum UpgradeStep: Int, CaseIterable {
    case index = 4, formerIndexes = 3, hosts = 2, listing = 1

    var next: UpgradeStep? { UpgradeStep(rawValue: rawValue - 1) }
}
