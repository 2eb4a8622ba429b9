"""Every interleaving of a reader with the rows that a process keeps in memory, its own changes and those of another process.

One key. A row is (token, revision, extended): a store makes a new token, a change of attributes a new revision of the row. The file
under the final name, in the trash or in staging is named by its token. A read has noted that it extended the expiration of the first
row; a flush moves that note into the row.

What is checked:
 1. A hit is of bytes that were the key's committed value at some moment between the call of the lookup and its answer.
 2. A hit by this process is judged by a revision that was current in that time. What another process changes of a row without moving
    its file may be seen late (the docs say: ten seconds), and is not checked.
 3. After a clear is called nothing that it removes is a hit any more.
 4. A hit on the first row knows of its extension, by the note or by the row.
"""
import sys

FIELDS = ("row", "final", "trash", "staging", "lock", "map", "changes", "clearing", "cleared", "seen", "pcs", "vars", "next", "late", "pending", "flushing")

class Model:
    """The design. A subclass with one mistake in it has to be caught."""
    def __init__(self, actors): self.actors = actors

    def start(self):
        return dict(row=("t0", 0, False), final="t0", trash=None, staging=None, lock=None, map=None, changes=0, clearing=False,
                    cleared=frozenset(), seen=tuple(None for _ in self.actors), pcs=tuple("begin" for _ in self.actors),
                    vars=tuple(() for _ in self.actors), next=1, late=frozenset(), pending=True,
                    flushing=False)

    # --- what is the key's value for those who ask now
    def value(self, s): return None if s["row"] is None or s["clearing"] and s["row"][0] in s["cleared"] else s["row"]
    def committed(self, s):
        s["seen"] = tuple(None if x is None else x | {self.value(s)} for x in s["seen"])

    # --- a lookup: yields (pc, vars), or ("answer", row, whether it has the note). The note is the first of the vars.
    def lookup(self, s, pc, v):
        if pc == "begin": return "use", (self.note(s) if self.takes_the_note_first else None,)
        if pc == "use": return ("settled", v + (s["map"], s["changes"])) if s["map"] else ("read", self.noted(s, v) + (s["changes"],))
        if pc == "settled": return ("read", self.noted(s, v[:1]) + v[2:]) if s["clearing"] and self.bypasses else ("note", v)
        if pc == "note": return "check", self.noted(s, v[:1]) + v[1:]
        if pc == "check": return ("answer", v[1], v[0]) if s["final"] == v[1][0] else ("read", (v[0], v[2]))
        if pc == "read":
            row = self.value(s)
            return ("answer", None, v[0]) if row is None else ("judge", v + (row,))
        if pc == "judge": return ("look", (v[0], v[2])) if s["clearing"] else ("insert", v)
        if pc == "insert":
            if self.may_insert(s, v[1]): s["map"] = v[2]
            return "look", (v[0], v[2])
        if pc == "look":
            places = (s["final"], s["trash"], s["staging"])
            return ("answer", v[1] if v[1][0] in places else None, v[0])
    bypasses = takes_the_note_first = True
    def note(self, s): return s["pending"] or s["flushing"]
    def noted(self, s, v): return v if v[0] is not None else (self.note(s),)
    def may_insert(self, s, count): return s["changes"] == count

    def forget(self, s): s["map"], s["changes"] = None, s["changes"] + 1
    def did_flush(self, s): self.forget(s)
    def drop(self, s): self.forget(s)

    # --- changes; each step may wait by returning None
    def store(self, s, pc, v, here, fails=False):
        if pc == "begin": return self.locked(s, "publish")
        if pc == "publish":
            token = f"t{s['next']}"; s["next"] += 1
            old = s["final"]; s["final"], s["staging"] = token, old
            if here: self.did_publish(s, (token, 0, False))
            return "commit", (token, old)
        if pc == "commit":
            if fails:
                s["final"], s["staging"], s["lock"] = v[1], None, None
                return "end", ()
            s["row"] = (v[0], 0, False); self.committed(s)
            return "forget" if here else "unlock", v
        if pc == "forget": self.forget(s); return "insert", v
        if pc == "insert": s["map"] = (v[0], 0, False); return "unlock", v
        if pc == "unlock": s["lock"] = None; return "unlink", v
        if pc == "unlink":
            if s["staging"] == v[1]: s["staging"] = None
            return "end", ()
    def did_publish(self, s, row): pass

    def change(self, s, pc, v):
        if pc == "begin": return self.locked(s, "commit")
        if pc == "commit":
            # Until the call has returned, what was there before may still be the answer.
            if s["row"]: self.revise(s, s["row"][2])
            return "forget", ()
        if pc == "forget": self.forget(s); s["lock"], s["late"] = None, frozenset(); return "end", ()

    def revise(self, s, extended):
        s["late"] |= {s["row"]}; s["row"] = (s["row"][0], s["row"][1] + 1, extended); self.committed(s)

    def flush(self, s, pc, v):
        if pc == "begin": s["pending"], s["flushing"] = False, s["pending"]; return "lock", ()
        if pc == "lock": return self.locked(s, "commit")
        if pc == "commit":
            if s["flushing"] and s["row"] and s["row"][0] == "t0": self.revise(s, True)
            return "forget", ()
        if pc == "forget": self.did_flush(s); s["lock"], s["late"] = None, frozenset(); return "drop the note", ()
        if pc == "drop the note": s["flushing"] = False; return "end", ()

    def remove(self, s, pc, v, here, only=None):
        if pc == "begin": return self.locked(s, "trash")
        if pc == "trash":
            if s["row"] is None or only is not None and s["row"][0] not in only: return "unlock", ()
            s["trash"], s["final"] = s["final"], None
            return "commit", ()
        if pc == "commit": s["row"] = None; self.committed(s); return "forget" if here else "unlock", ()
        if pc == "forget": self.forget(s); return "unlock", ()
        if pc == "unlock": s["lock"] = None; return "unlink", ()
        if pc == "unlink": s["trash"] = None; return "end", ()

    def clear(self, s, pc, v):
        if pc == "begin": return self.locked(s, "moment")
        if pc == "moment": s["lock"] = None; return "mark", (frozenset([s["row"][0]] if s["row"] else []),)
        if pc == "mark": s["clearing"], s["cleared"] = True, v[0]; return "drop", v
        if pc == "drop": self.drop(s); return "remove begin", v
        if pc.startswith("remove"):
            step = self.remove(s, pc.split()[1], (), True, only=v[0])
            if step is None: return None
            return ("unmark", v) if step[0] == "end" else (f"remove {step[0]}", v)
        if pc == "unmark": s["clearing"] = False; self.committed(s); return "end", ()

    def locked(self, s, pc):
        if s["lock"]: return None
        s["lock"] = True
        return pc, ()

    def step(self, s, i):
        kind, pc, v = self.actors[i], s["pcs"][i], s["vars"][i]
        if kind == "lookup":
            if pc == "begin": s["seen"] = s["seen"][:i] + (s["late"] | {self.value(s)},) + s["seen"][i + 1:]
            step = self.lookup(s, pc, v)
            if step[0] == "answer": self.judge(s, i, *step[1:]); step = ("end", ())
        elif kind == "flush": step = self.flush(s, pc, v)
        elif kind == "change": step = self.change(s, pc, v)
        elif kind == "clear": step = self.clear(s, pc, v)
        else:
            name, _, where = kind.partition(" ")
            if name == "store": step = self.store(s, pc, v, here="there" not in where, fails="fails" in where)
            else: step = self.remove(s, pc, v, here="there" not in where)
        if step is None: return False
        pc, v = step
        s["pcs"] = s["pcs"][:i] + (pc,) + s["pcs"][i + 1:]
        s["vars"] = s["vars"][:i] + (v,) + s["vars"][i + 1:]
        return True

    def judge(self, s, i, row, noted):
        if row is None: return
        if row not in s["seen"][i]: raise AssertionError(f"{row} is none of {set(s['seen'][i])}")
        if row[0] == "t0" and not noted and not row[2]: raise AssertionError(f"{row} is not extended")

    def run(self):
        seen, todo = set(), [self.start()]
        while todo:
            s = todo.pop()
            for i in range(len(self.actors)):
                if s["pcs"][i] == "end": continue
                t = dict(s)
                if not self.step(t, i): continue
                key = tuple(t[f] for f in FIELDS)
                if key not in seen: seen.add(key); todo.append(t)
        return len(seen)

SCRIPTS = {
    "stores here and there": ["lookup", "lookup", "store", "store there"],
    "a store that fails": ["lookup", "lookup", "store fails", "store there"],
    "a change of attributes": ["lookup", "lookup", "change", "store"],
    "removals": ["lookup", "lookup", "remove", "store there"],
    "another process removes": ["lookup", "lookup", "remove there", "store"],
    "a clear": ["lookup", "lookup", "clear", "store"],
    "a clear beside another process": ["lookup", "lookup", "clear", "store there"],
    "a clear and a change": ["lookup", "lookup", "clear", "change"],
    "a flush": ["lookup", "lookup", "flush", "store"],
    "a flush and a change": ["lookup", "lookup", "flush", "change"],
    "a flush and a clear": ["lookup", "flush", "clear"],
}

class EntersBeforeTheCommit(Model):
    def did_publish(self, s, row): s["map"] = row
class EntersWhatHasChanged(Model):
    def may_insert(self, s, count): return True
class KeepsWhatAFlushHasExtended(Model):
    def did_flush(self, s): s["changes"] += 1
class EntersWhatAFlushHasExtended(Model):
    def did_flush(self, s): s["map"] = None
class DoesNotHearOfChanges(Model):
    def forget(self, s): pass
class AnswersDuringAClear(Model):
    bypasses = False
    def drop(self, s): pass
class LooksBeforeItTakesTheNote(Model):
    takes_the_note_first = False

def main():
    for name, actors in SCRIPTS.items(): print(f"{name}: {Model(actors).run():,} states")
    for mistake in (EntersBeforeTheCommit, EntersWhatHasChanged, KeepsWhatAFlushHasExtended, EntersWhatAFlushHasExtended,
                    DoesNotHearOfChanges, AnswersDuringAClear, LooksBeforeItTakesTheNote):
        for actors in SCRIPTS.values():
            try: mistake(actors).run()
            except AssertionError as error: print(f"{mistake.__name__}: caught ({error})"); break
        else: sys.exit(f"{mistake.__name__} was not caught")

if __name__ == "__main__": main()
