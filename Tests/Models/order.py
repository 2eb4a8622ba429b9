"""Every interleaving of a few calls on a cache, and what each of them may answer.

Calls come from several callers. Each of these happens at its own moment, in any order: the call, the encoding of a store's
image, the read of a load, the writer taking the next changes, its commit (which another process's lock may fail), its reports.

The rules of order, as they are checked here:
 1. A load answers what the latest change called before it on its key says, or what a later one says; older only if that
    change has failed by then. After a clear is called nothing older is answered.
 2. Stores commit and report in the order of their calls, and a change of many keys between those before and after it.
 3. Memory never holds what is older than the latest change called on its key.
 4. A load waits for nothing but the encoding of its own key's store and its own read: it ends while the writer stands still.
 5. A load on its caller's thread waits for nothing at all: a store that is not encoded is passed over, a removal is not.
 6. Loads join only where no change of their key lies between their calls; each is answered once; a cancelled one that has not
    begun is taken back, and the others of its group are answered.
"""
import itertools, sys

# A change: (number, kind, key, encoded). Numbers are those of the calls; kinds: store, bad (a store that cannot be encoded), remove, clear,
# purge (a removal of all keys in batches, between which others run), filter (the same, but only its end tells which keys it has
# removed), clean.
# A load: (number, key, state, group, admitted): waiting, reading, done; admitted is the latest change of its key at its call.

class State:
    __slots__ = ("disk", "mem", "queue", "batch", "loads", "groups", "failed", "reported", "answers", "held", "at", "latest",
                 "purges", "history", "filters")

    def __init__(s):
        s.disk = {}       # key: number of the store whose bytes are there
        s.mem = {}
        s.queue = ()      # changes called and not taken by the writer
        s.batch = ()      # changes being committed
        s.loads = ()      # (number, key, phase, sees): phase: pending store's number | 'queued' | 'reading' | 'read'
        s.groups = ()     # (key, members, phase, value, joinable): False, True, or "only": it may be joined, and enters no memory
        s.failed = frozenset()
        s.reported = ()
        s.answers = ()    # (load, value)
        s.held = False    # another process holds the lock
        s.at = ()         # how far each caller is
        s.latest = {}     # key: the latest change called on it
        s.history = {}    # key: all changes called on it
        s.purges = ()     # (number, keys left): removals in batches that have had their turn
        s.filters = ()    # (number, keys left, keys removed): filters that have had their turn; None left: the keys have left memory

    def key(s):
        return (tuple(sorted(s.disk.items())), tuple(sorted(s.mem.items())), s.queue, s.batch, s.loads, s.groups, s.failed,
                s.reported, s.answers, s.held, s.at, tuple(sorted(s.history.items())), s.purges, s.filters)

    def copy(s):
        t = State()
        for name in State.__slots__: setattr(t, name, getattr(s, name))
        t.disk, t.mem, t.latest, t.history = dict(s.disk), dict(s.mem), dict(s.latest), dict(s.history)
        return t

class Model:
    """The design. A subclass with one mistake in it has to be caught: see `mistakes`."""
    def __init__(self, scripts, slots=2, may_fail=True):
        self.scripts, self.slots, self.may_fail = scripts, slots, may_fail
        # The calls are numbered by caller and place; their order is that of the interleaving.

    # --- what a caller does
    def call(self, s, number, op):
        kind, key = op[0], op[1] if len(op) > 1 else None
        if kind == "load": return self.load(s, number, key)
        if kind == "now": return self.load_now(s, number, key)
        if kind == "cancel": return self.cancel(s, key)
        if kind == "forget": s.mem.pop(key, None); return self.detach(s, [key])
        s.queue += ((number, kind, key, kind not in ("store", "bad")),)
        keys = [key] if key else self.keys()
        if kind == "clean": return
        if kind == "filter": return self.detach(s, keys)
        for k in keys:
            s.latest[k] = (number, "store" if kind == "bad" else kind)
            s.history[k] = s.history.get(k, ()) + (s.latest[k],)
            if kind in ("store", "bad"): s.mem[k] = number
            else: s.mem.pop(k, None)
        self.detach(s, keys)

    def keys(self): return list({k for sc in self.scripts for o in sc for k in o[1:2] if isinstance(k, str)})

    def detach(self, s, keys):
        s.groups = tuple((k, m, p, v, False if k in keys else j) for k, m, p, v, j in s.groups)

    def pending(self, s, key):
        """The latest change of a key that has not ended."""
        for change in reversed(s.batch + s.queue):
            # What could not be encoded changes nothing on disk.
            if change[1] not in ("clean", "filter") and change[2] in (key, None) and not self.is_void(s, change): return change
        return self.purge(s, key)
    def is_void(self, s, change): return change[1] == "bad" and change[3]

    def purge(self, s, key):
        """The removal in batches that a key's value on disk has still to expect."""
        for number, _ in s.purges:
            if s.disk.get(key, -1) < number: return (number, "purge", None, True)
        return None

    def load(self, s, number, key):
        if key in s.mem: return self.answer(s, [number], s.mem[key])
        change = self.pending(s, key)
        if change and change[1] not in ("store", "bad"): return self.answer(s, [number], None)
        if change and change[3]: return self.answer(s, [number], change[0])
        if change: s.loads += ((number, key, change[0]),); return
        for i, (k, members, phase, value, joinable) in enumerate(s.groups):
            if k == key and joinable:
                s.groups = s.groups[:i] + ((k, members + (number,), phase, value, joinable),) + s.groups[i + 1:]
                return
        s.groups += ((key, (number,), "queued", None, True),)

    def load_now(self, s, number, key):
        if key in s.mem: return self.answer(s, [number], s.mem[key])
        is_latest = True
        for change in reversed(s.batch + s.queue):
            if change[1] in ("clean", "filter") or change[2] not in (key, None): continue
            if change[1] not in ("store", "bad"): return self.answer(s, [number], None)
            if self.is_void(s, change): continue
            if change[3]:
                self.refill(s, key, change[0], is_latest)
                return self.answer(s, [number], change[0])
            is_latest = False
        value = None if self.purge(s, key) else s.disk.get(key)
        self.refill(s, key, value, is_latest)
        self.answer(s, [number], value)

    def cancel(self, s, number):
        for i, (k, members, phase, value, joinable) in enumerate(s.groups):
            if number in members and phase == "queued":
                rest = tuple(m for m in members if m != number)
                s.groups = s.groups[:i] + (((k, rest, phase, value, joinable),) if rest else ()) + s.groups[i + 1:]
                s.answers += ((number, "cancelled"),)
                return
        if any(n == number for n, _, _ in s.loads):
            s.loads = tuple(l for l in s.loads if l[0] != number)
            s.answers += ((number, "cancelled"),)

    def answer(self, s, numbers, value):
        s.answers += tuple((n, value) for n in numbers)

    # --- what happens by itself
    def encodings(self, s):
        for where in ("queue", "batch"):
            for i, c in enumerate(getattr(s, where)):
                if not c[3]:
                    t = s.copy()
                    setattr(t, where, getattr(t, where)[:i] + ((c[0], c[1], c[2], True),) + getattr(t, where)[i + 1:])
                    mine = [l for l in t.loads if l[2] == c[0]]
                    t.loads = tuple(l for l in t.loads if l[2] != c[0])
                    if c[1] == "store": self.answer(t, [l[0] for l in mine], c[0])
                    else:
                        t.failed |= {c[0]}
                        for l in mine: self.load(t, l[0], l[1])
                    yield ("encode", c[0]), t

    def reads(self, s):
        reading = sum(1 for g in s.groups if g[2] == "reading")
        for i, (k, members, phase, value, joinable) in enumerate(s.groups):
            def put(t, *group): t.groups = t.groups[:i] + group + t.groups[i + 1:]
            t = s.copy()
            if phase == "queued" and reading < self.slots:
                put(t, (k, members, "reading", None, joinable)); yield ("begin", k), t
            elif phase == "reading":
                put(t, (k, members, "read", s.disk.get(k), joinable)); yield ("read", k), t
            elif phase == "read":
                put(t)
                self.refill(t, k, value, joinable)
                self.answer(t, members, value); yield ("end", k), t

    def refill(self, t, key, value, joinable):
        if joinable is True and value is not None: t.mem[key] = value

    def takes(self, s):
        """A run of encoded stores and removals from the front, or one change of many keys."""
        if s.batch or not s.queue: return
        n = 0
        while n < len(s.queue) and s.queue[n][3] and s.queue[n][1] in ("store", "bad", "remove"): n += 1
        if n == 0 and s.queue[0][1] in ("clear", "clean", "purge", "filter"): n = 1
        if n == 0: return
        t = s.copy(); t.batch, t.queue = s.queue[:n], s.queue[n:]
        yield ("take", n), t

    def commits(self, s):
        if not s.batch: return
        if not s.held:
            t = s.copy()
            for number, kind, key, _ in t.batch:
                if kind == "store": t.disk[key] = number
                elif kind == "remove": t.disk.pop(key, None)
                elif kind == "clear": t.disk = {}
                elif kind == "purge": t.purges += ((number, tuple(sorted(t.disk))),)
                elif kind == "filter": t.filters += ((number, tuple(sorted(t.disk)), ()),)
            # A removal in batches reports when it has ended, and others may have come before.
            t.reported += tuple((c[0], True) for c in t.batch if c[1] not in ("purge", "filter")); t.batch = ()
            yield ("commit",), t
        if s.held and self.may_fail:
            t = s.copy()
            t.failed |= {c[0] for c in t.batch}
            t.reported += tuple((c[0], False) for c in t.batch)
            for c in t.batch:
                if c[1] == "filter": self.end_filter(t)
            t.batch = ()
            yield ("fail",), t

    def batches(self, s):
        for i, (number, keys) in enumerate(s.purges):
            t = s.copy()
            if keys and t.disk.get(keys[0], number) < number: t.disk.pop(keys[0])
            t.purges = s.purges[:i] + (((number, keys[1:]),) if keys else ()) + s.purges[i + 1:]
            yield ("batch", number), t
        for i, (number, keys, gone) in enumerate(s.filters):
            t = s.copy()
            if keys:
                if t.disk.get(keys[0], number) < number: t.disk.pop(keys[0]); gone += keys[:1]
                t.filters = s.filters[:i] + ((number, keys[1:], gone),) + s.filters[i + 1:]
            elif keys is not None:
                t.filters = s.filters[:i] + ((number, None, gone),) + s.filters[i + 1:]
                self.leave_memory(t)
                for k in gone:
                    t.history[k] = tuple(sorted(t.history.get(k, ()) + ((number, "remove"),)))
                    if t.latest.get(k, (-1,))[0] < number: t.latest[k] = (number, "remove"); t.mem.pop(k, None)
            else:
                t.filters = s.filters[:i] + s.filters[i + 1:]
                self.end_filter(t)
            yield ("batch", number), t

    def leave_memory(self, s): self.detach(s, self.keys())
    def end_filter(self, s): self.detach(s, self.keys())

    def locks(self, s):
        t = s.copy(); t.held = not s.held
        yield ("held" if t.held else "free",), t

    def calls(self, s):
        for c, script in enumerate(self.scripts):
            if s.at[c] < len(script):
                t = s.copy()
                t.at = s.at[:c] + (s.at[c] + 1,) + s.at[c + 1:]
                number = sum(s.at)
                t.answers = s.answers
                op = script[s.at[c]]
                before = t.copy()
                self.call(t, number, op)
                self.check_call(before, t, number, op)
                yield ("call", number) + op, t

    def steps(self, s):
        for name in ("calls", "encodings", "reads", "takes", "commits", "batches"):
            yield from getattr(self, name)(s)
        if self.may_fail and sum(s.at) < sum(map(len, self.scripts)): yield from self.locks(s)

    # --- the rules
    def check_call(self, before, s, number, op): pass

class Checker:
    def __init__(self, model): self.model, self.seen = model, set()

    def run(self):
        start = State(); start.at = (0,) * len(self.model.scripts)
        start.disk = {"a": -1}
        stack = [(start, {}, ())]
        while stack:
            s, expected, path = stack.pop()
            k = (s.key(), tuple(sorted(expected.items())))
            if k in self.seen: continue
            self.seen.add(k)
            moved = False
            for label, t in self.model.steps(s):
                moved = moved or label[0] not in ("held", "free")
                e = expected
                if label[0] == "call" and label[2] in ("load", "now"):
                    e = dict(expected); e[label[1]] = (label[3], self.seen_by(s, label[2], label[3]))
                self.check(s, t, e, path + (label,))
                stack.append((t, e, path + (label,)))
            if not moved: self.check_end(s, path)
            self.check_loads_end(s, path)
        return len(self.seen)

    def seen_by(self, s, kind, key):
        """The change that a load has to see, or a later one."""
        latest = s.latest.get(key)
        if kind == "load" or latest is None or key in s.mem: return latest
        for change in reversed(s.batch + s.queue):
            if change[1] in ("clean", "filter") or change[2] not in (key, None): continue
            # What is not encoded may be passed over.
            if change[3]: return (change[0], change[1])
        return None if any(c[0] == latest[0] for c in s.batch + s.queue) else latest

    def fail(self, rule, path): raise AssertionError(f"{rule}: {path}")

    def check(self, s, t, expected, path):
        for number, value in t.answers[len(s.answers):]:
            if number not in expected: self.fail("answered twice or never asked", path)
            key, latest = expected[number]
            if value == "cancelled" or latest is None: continue
            # What failed changed nothing: what was called before it counts.
            for change, kind in reversed([c for c in t.history[key] if c[0] <= latest[0]]):
                if value is not None and value >= change or value is None and (kind != "store" or any_after(t, key, change)): break
                if change not in t.failed: self.fail(f"1: load {number} answers {value}, not {(change, kind)}", path)
        numbers = [n for n, _ in t.answers]
        if len(numbers) != len(set(numbers)): self.fail("6: a load is answered twice", path)
        reported = [n for n, _ in t.reported]
        if reported != sorted(reported): self.fail("2: reports out of order", path)
        for key, value in t.mem.items():
            if key in t.latest and (t.latest[key][1] != "store" or value < t.latest[key][0]):
                if t.latest[key][0] not in t.failed: self.fail(f"3: memory has {value} of {key}", path)

    def check_loads_end(self, s, path):
        """Without the writer: reads and encodings alone end all loads."""
        t = s
        for _ in range(50):
            moves = list(self.model.encodings(t)) + list(self.model.reads(t))
            if not moves: break
            t = moves[0][1]
        if t.groups or t.loads: self.fail("4: a load waits for the writer", path)

    def check_end(self, s, path):
        if s.groups or s.loads or s.purges or s.filters or s.batch and not s.held: self.fail("a call that never ends", path)

def any_after(s, key, change):
    latest = s.latest.get(key)
    return latest is not None and latest[0] > change

SCRIPTS = {
    "a store and two loads": [[("store", "a"), ("load", "a")], [("load", "a")]],
    "loads around a removal": [[("load", "a"), ("remove", "a"), ("load", "a")], [("load", "a")]],
    "a clear among stores": [[("store", "a"), ("clear",), ("load", "a")], [("store", "b"), ("load", "b")]],
    "two stores of a key": [[("store", "a"), ("store", "a"), ("load", "a")], [("load", "a"), ("load", "b")]],
    "a load that is cancelled": [[("load", "a"), ("cancel", 0), ("load", "a")], [("store", "a")]],
    "a clean between": [[("store", "a"), ("clean",), ("load", "a")], [("remove", "a"), ("load", "a")]],
    "a load on its caller's thread": [[("remove", "a"), ("store", "a"), ("now", "a")], [("now", "a"), ("load", "a")]],
    "a store during a removal in batches": [[("purge",), ("store", "a"), ("forget", "a"), ("load", "a")], [("load", "a"), ("now", "a")]],
    "a removal whose entries tell the keys": [[("filter",), ("load", "a"), ("store", "a"), ("load", "a")], [("load", "a"), ("now", "a")]],
    "a store that cannot be encoded": [[("clear",), ("bad", "a"), ("forget", "a"), ("load", "a")], [("load", "a"), ("now", "a")]],
    "everything": [[("store", "a"), ("load", "b")], [("load", "a"), ("clear",)], [("store", "b"), ("load", "a")]],
}

# --- mistakes that have to be caught
class RefillsWhatChanged(Model):
    def refill(self, t, key, value, joinable):
        if value is not None: t.mem[key] = value
class RefillsWhatAFilterHasRemoved(Model):
    def leave_memory(self, s): pass
class JoinsAcrossChanges(Model):
    def detach(self, s, keys): pass
class ReadsBehindAClear(Model):
    def pending(self, s, key):
        change = super().pending(s, key)
        return change if change and change[1] == "store" else None
class CommitsWhatIsEncodedFirst(Model):
    def takes(self, s):
        if s.batch: return
        ready = tuple(c for c in s.queue if c[3])
        if not ready: return
        t = s.copy(); t.batch, t.queue = ready[:1], tuple(c for c in s.queue if c != ready[0])
        yield ("take", 1), t
class PassesOverARemoval(Model):
    def load_now(self, s, number, key):
        self.answer(s, [number], s.mem.get(key, s.disk.get(key)))
class HidesWhatIsStoredDuringAPurge(Model):
    def purge(self, s, key): return (s.purges[0][0], "purge", None, True) if s.purges else None
class ShowsWhatAPurgeHasStillToRemove(Model):
    def purge(self, s, key): return None
class ReadsTheDiskWhereAnEncodingFailed(Model):
    def load(self, s, number, key):
        if any(c[2] == key and self.is_void(s, c) for c in s.batch + s.queue): s.groups += ((key, (number,), "queued", None, True),)
        else: super().load(s, number, key)
class WaitsForTheWriter(Model):
    def reads(self, s):
        if not s.batch: yield from super().reads(s)

def main():
    for name, scripts in SCRIPTS.items():
        print(f"{name}: {Checker(Model(scripts)).run():,} states")
    for mistake in (RefillsWhatChanged, RefillsWhatAFilterHasRemoved, JoinsAcrossChanges, ReadsBehindAClear,
                    CommitsWhatIsEncodedFirst, PassesOverARemoval, HidesWhatIsStoredDuringAPurge, ShowsWhatAPurgeHasStillToRemove,
                    ReadsTheDiskWhereAnEncodingFailed, WaitsForTheWriter):
        for scripts in SCRIPTS.values():
            try: Checker(mistake(scripts)).run()
            except AssertionError as error:
                print(f"{mistake.__name__}: caught ({str(error)[:90]}…)"); break
        else: sys.exit(f"{mistake.__name__} was not caught")

if __name__ == "__main__": main()
