extension Operation {
    /// Loads through an `ImageCache`. With pictures, which elsewhere than on Linux are the system's business.
    static var imageLoading: [Operation] {
        #if os(Linux)
            let isMeasured = { (count: Int) in count == 10_000 }
            return [
                Operation(names: LoadsOfOneKey.names, isMeasured: isMeasured) { world, plan in
                    try LoadsOfOneKey(world: world).rows(rounds: plan.rounds)
                },
                Operation(names: LoadBehindStores.names, phase: .replacing, isMeasured: isMeasured) { world, plan in
                    try LoadBehindStores(world: world).rows(rounds: plan.rounds)
                },
            ]
        #else
            return []
        #endif
    }
}
