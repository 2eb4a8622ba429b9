#if !canImport(Darwin)
    extension Volume {
        /// Creates a volume from the magic number that `statfs` returns.
        ///
        /// Only known local file systems get a write-ahead log: a second machine would corrupt its shared memory, and no list of
        /// shared file systems is complete. A local one that is not listed has no log, so it is slower, and no reliable inode
        /// numbers. A warning names its magic number.
        package init(magic: Int64) {
            let magic = UInt32(truncatingIfNeeded: magic)
            if let name = Self.name(of: magic, in: Self.localNames) {
                self.init(name: name)
            } else if let name = Self.name(of: magic, in: Self.changingNames) {
                self.init(name: name, hasStableInodes: false)
            } else {
                let name = Self.name(of: magic, in: Self.sharedNames) ?? "0x" + String(magic, radix: 16)
                self.init(name: name, isNetworked: true, hasStableInodes: false)
            }
        }

        /// Not a dictionary: the first one with a new type of key takes a tenth of a millisecond of the process's first opening.
        private typealias Names = KeyValuePairs<UInt32, String>

        private static func name(of magic: UInt32, in names: Names) -> String? {
            names.first { $0.key == magic }?.value
        }

        /// File systems of one machine. The numbers are those of <linux/magic.h>, or else of the file system's own source:
        /// ZFS_SUPER_MAGIC in include/sys/fs/zfs.h of OpenZFS, BCACHEFS_STATFS_MAGIC in fs/bcachefs, JFS_SUPER_MAGIC in fs/jfs,
        /// UBIFS_SUPER_MAGIC in fs/ubifs, HFS_SUPER_MAGIC and HFSPLUS_SUPER_MAGIC in fs/hfs and fs/hfsplus, `s_magic` in
        /// fs/ntfs3/super.c and fs/ntfs, APFS_NX_MAGIC in linux-apfs-rw, `S_MAGIC_WSLFS` in coreutils' src/fs.h.
        private static let localNames: Names = [
            0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0xF2F5_2010: "f2fs", 0x2FC1_2FC1: "zfs",
            0xCA45_1A4E: "bcachefs", 0x5265_4973: "reiserfs", 0x3153_464A: "jfs", 0x3434: "nilfs",
            0x0102_1994: "tmpfs", 0x8584_58F6: "ramfs", 0x794C_7630: "overlay",
            0x7371_7368: "squashfs", 0xE0F5_E1E2: "erofs", 0x9660: "iso9660", 0x1501_3346: "udf",
            0x4244: "hfs", 0x482B: "hfsplus", 0x7366_746E: "ntfs3", 0x5346_544E: "ntfs", 0x4253_584E: "apfs",
            0x2405_1905: "ubifs", 0x72B6: "jffs2", 0x5346_4846: "wslfs",
        ]

        /// Local file systems that generate inode numbers as needed.
        private static let changingNames: Names = [0x4D44: "msdos", 0x2011_BAB0: "exfat"]

        /// Used in the warning only.
        private static let sharedNames: Names = [
            0x6969: "nfs", 0x517B: "smb", 0xFE53_4D42: "smb2", 0xFF53_4D42: "cifs", 0x0102_1997: "9p",
            0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x6573_5546: "fuse", 0x0BD0_0BD0: "lustre", 0x4750_4653: "gpfs",
            0x1983_0326: "beegfs", 0x0116_1970: "gfs2", 0x7461_636F: "ocfs2", 0x786F_4256: "vboxsf",
        ]
    }
#endif
