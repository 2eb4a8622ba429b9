extension Operation {
    /// Loads through an `ImageCache`. Only on Linux, because elsewhere the system decodes pictures.
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
