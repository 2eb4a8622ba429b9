# For Scripts/availability: the compiler's syntax trees, a document for each file. $task is
#   uses   where something of $hits is used and no condition says that the system has it: file, offset, name, system, version
#   own    what the sources declare for newer systems alone, in the form of the toolchain's list

def number: split(".") | map(tonumber) | .[0] * 1000 + (.[1] // 0);
def spelled: "\(. / 1000 | floor).\(. % 1000)";
def most($a; $b): if $a > $b then $a else $b end;

# As in Scripts/availability: what a version of iOS is on visionOS.
def vision:
    . as $ios | ($ios / 1000 | floor) as $major | ($ios % 1000) as $minor
    | if $major >= 26 then $ios
      elif $major >= 18 then $ios - 16000
      elif $major == 17 and $minor >= 4 then 1000 + $minor - 3
      else 1000 end;

# A list of domains with versions; 0 if it says nothing of the system.
def since(f):
    [.[] | select(f != null)] as $said
    | [$said[] | select(.domain == $system) | f] as $own
    | [$said[] | select(.domain == "iOS") | f] as $ios
    | if $own != [] then $own[0] | number
      elif $system == "visionOS" and $ios != [] then $ios[0] | number | vision
      else 0 end;

# `#available` always ends in `*`. Without it the compiler's tree means `#unavailable`.
def asks($star): ._kind == "#available" and ([.queries[].domain] | index("*") != null) == $star;
def asked($star): if asks($star) then .queries | since(.version) else 0 end;
def conditions($star): [(.conditions // [])[] | asked($star)] | max // 0;
def declared: [.attrs[]? | objects | select(._kind == "available_attr")] | since(.introduced);

(($ARGS.named.hits // "") / "\n" | map(select(. != "") / "\t" | {key: .[0], value: {name: .[1], since: (.[2] | number)}})
    | from_entries) as $newer

# Of one node, where $version is certain.
| def found($file; $version; $at):
    if $task == "own" then
        select(.usr? and .name.base_name? and $version > 0)
        | [.usr, (.name.base_name.name? // "init"), "\($system) \($version | spelled)", "own"]
    else
        .[] | strings | $newer[.] // empty | select(.since > $version) | [$file, $at, .name, $system, (.since | spelled)]
    end;

def scan($file; $version; $at):
    if type == "array" then
        # What a guard asks for is certain after it. An initial value stands beside the declaration that it belongs to.
        [.[] | objects | select(._kind == "var_decl") | {at: .range.start, since: declared}] as $variables
        | foreach .[] as $one (
            {now: $version, next: $version};
            {now: .next, next: (if $one._kind? == "guard_stmt" then most(.next; $one | conditions(true)) else .next end)};
            .now as $now
            | ([$variables[] | select($one._kind? == "pattern_binding_decl" and .at >= $one.range.start and .at <= $one.range.end)
                | .since] | max // 0) as $beside
            | $one | scan($file; most($now; $beside); $at))
    elif type == "object" and (.implicit and ._kind == "constructor_decl") then
        # Of the properties, which are judged themselves.
        empty
    elif type == "object" then
        (if .range | type == "object" then .range.start else $at end) as $at
        | most($version; declared) as $version
        | found($file; $version; $at),
          (if ._kind == "if_stmt" or ._kind == "while_stmt" or ._kind == "guard_stmt" then
              conditions(true) as $asked | conditions(false) as $denied
              | (foreach (.conditions // [])[] as $one (
                    {now: $version, next: $version}; {now: .next, next: most(.next; $one | asked(true))};
                    .now as $now | $one | scan($file; $now; $at))),
                (._kind == "guard_stmt") as $guard
                | (.then_stmt // empty | scan($file; most($version; $asked); $at)),
                  (.else_stmt // empty | scan($file; most($version; $denied); $at)),
                  (.body // empty | scan($file; most($version; if $guard then $denied else $asked end); $at))
           else
              .[] | select(type == "object" or type == "array") | scan($file; $version; $at)
           end)
    else empty end;

.filename as $file | .items | scan($file; 0; 0) | @tsv
