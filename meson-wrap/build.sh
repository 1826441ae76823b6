# Functions that build release products with SwiftPM. To be sourced by bash, with `set -e` or without.
#
#   build_own_scratch FOLDER...  removes scratch folders of SwiftPM that were made at another path
#   build_products               builds the plugin and the command, with progress on standard error
#   build_publish NAME FILE      puts a built product into its place
#   build_kernel_archive         makes an archive of the built plugin's kernels, and prints its path
#
# Everything that is built lies below .build: what tests and developers build in .build itself, the plugin and the command
# in .build/product, sanitizers in folders of their own. Of the products' objects tests share the vector kernels alone: the
# modules that they test are compiled with -enable-testing, which keeps and exports every internal function and so costs
# speed and size, and SwiftPM compiles everything again where flags differ.

build_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build_scratch=$(realpath -m "${GST_HDR_BUILD_DIR:-$build_root/.build/product}")
: "${build_name:=build}"

# Compiled modules contain absolute paths, so that SwiftPM cannot continue in a folder that was copied or moved with its
# clone. A file in the folder names the clone that it belongs to; without that file, SwiftPM's own list of build steps
# tells.
build_own_scratch() {
    local folder owner here
    here=$(cd "$build_root" && pwd -P) || return 1
    for folder in "$@"; do
        owner=
        if [ -f "$folder/.made-at" ]; then
            owner=$(cat "$folder/.made-at")
        elif [ -f "$folder/release.yaml" ] || [ -f "$folder/debug.yaml" ]; then
            if grep -qsF -e "\"$here/Sources/" -e "\"$build_root/Sources/" "$folder/release.yaml" \
                "$folder/debug.yaml"; then
                owner=$here
            fi
        elif [ -d "$folder" ]; then
            # Nothing was built in it yet.
            owner=$here
        fi
        if [ -d "$folder" ] && [ "$owner" != "$here" ]; then
            echo "$build_name: $(basename "$folder") was made at another path, building anew" >&2
            rm -rf "$folder" || return 1
        fi
        [ -f "$folder/.made-at" ] && continue
        # The file is moved into place whole, since another build may read it now.
        mkdir -p "$folder" && echo "$here" >"$folder/.made-at.$$" && mv "$folder/.made-at.$$" "$folder/.made-at" \
            || return 1
    done
}

# Tells from SwiftPM's log how far it is: a line that is redrawn on a terminal, a line now and then elsewhere.
build_progress() {
    local log=$1 what=$2 start=$SECONDS told=0 now step text
    while sleep 1; do
        now=$((SECONDS - start))
        step=$(sed -nE 's|^\[([0-9]+)/([0-9]+)\] (.*)$|\1 of \2, \3|p' "$log" 2>/dev/null | tail -n 1)
        text="$build_name: $what, $now s${step:+, step $step}"
        if [ -t 2 ]; then
            printf '\r\033[K%.*s' "$(($(tput cols 2>/dev/null || echo 80) - 1))" "$text" >&2
        elif [ $((now - told)) -ge 20 ]; then
            told=$now
            echo "$text" >&2
        fi
    done
}

# Builds both products at once, so that their common modules are compiled in parallel. Package.swift has the linker's
# flags of each. Debug information would only be stripped from the plugin again.
#
# The result is the same in every clone, where GST_HDR_BUILD_DIR is and GST_HDR_BUILD_JOBS=1. Some choices of the compiler
# depend on the addresses of its memory, and so on the lengths of paths that it keeps there, its working folder among
# them; and its order of instructions on the name of the package, which SwiftPM takes from the folder's name. So the
# build runs in a folder with a fixed name, of links, or of copies where the result shall be the same, because the
# compiler keeps the paths that links lead to as well. Threads of a compiler would take turns in its memory as chance has
# it, so that each compiler has one. GStreamer's macros put the names of C files into messages.
#
# Compilers that run at the same time make the C modules that they share for each other, and which of them makes one,
# and so where its memory lies, is left to chance. With GST_HDR_BUILD_JOBS=1 one runs after the other. Below its stack a
# program has its environment, whose size moves the stack: such a build has an environment of its own, without what the
# build system numbers its processes by.
build_once() {
    local log=$1 watcher status=0 package part name place=(ln -s) fixed=() jobs=()
    mkdir -p "$build_scratch/gst-hdr" || return 1
    package=$(cd "$build_scratch/gst-hdr" && pwd -P) || return 1
    [ -z "${GST_HDR_BUILD_JOBS-}" ] || place=(cp -a)
    for part in Package.swift Plugins Sources Tests meson-wrap; do
        rm -rf "${package:?}/$part" && "${place[@]}" "$build_root/$part" "$package/$part" || return 1
    done
    ! setarch -R true 2>/dev/null || fixed=(setarch -R)
    if [ -n "${GST_HDR_BUILD_JOBS-}" ]; then
        jobs=(--jobs "$GST_HDR_BUILD_JOBS")
        cat >"$package/swiftc" <<END || return 1
#!/bin/sh
unset LLBUILD_BUILD_ID LLBUILD_TASK_ID LLBUILD_LANE_ID LLBUILD_CONTROL_FD
exec "$(dirname "$(command -v swift)")/swiftc" "\$@"
END
        chmod +x "$package/swiftc" || return 1
        fixed=(env -i "PATH=$(dirname "$(command -v swift)"):/usr/bin:/bin" "HOME=$build_scratch" LC_ALL=C.UTF-8
            TMPDIR=/tmp GST_HDR_BUILD=product "SWIFT_EXEC=$package/swiftc" "${fixed[@]}")
        for name in GST_HDR_X265 PKG_CONFIG_PATH; do
            [ -z "${!name-}" ] || fixed=("${fixed[0]}" "${fixed[1]}" "$name=${!name}" "${fixed[@]:2}")
        done
    fi
    # A process that waits for a lock of this shell must not wait for the progress display.
    build_progress "$log" "plugin and command" 9>&- &
    watcher=$!
    # shellcheck disable=SC2064
    trap "kill $watcher 2>/dev/null; rm -f '$log'" EXIT
    (
        cd "$package" && unset OLDPWD && export GST_HDR_BUILD=product || exit
        exec "${fixed[@]}" swift build --package-path "$package" -c release --scratch-path "$build_scratch" \
            "${jobs[@]}" -debug-info-format none -Xswiftc -num-threads -Xswiftc 1 -Xswiftc -static-stdlib \
            --disable-local-rpath -Xswiftc -Xclang-linker -Xswiftc -fuse-ld=lld -Xcc "-fmacro-prefix-map=$package/="
    ) >"$log" 2>&1 || status=$?
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null || true
    trap - EXIT
    [ $status = 0 ] || sed -i "s|$package/|$build_root/|g" "$log"
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
    return $status
}

build_products() {
    local log status=0
    build_own_scratch "$build_scratch" || return 1
    log=$(mktemp) || return 1
    echo "$build_name: building plugin and command" >&2
    build_once "$log" || status=$?
    # A build that failed at another path leaves a folder that looks like its own.
    if [ $status != 0 ] && grep -q 'was compiled with module cache path' "$log"; then
        echo "$build_name: $(basename "$build_scratch") holds modules of another path, building anew" >&2
        rm -rf "$build_scratch"
        build_own_scratch "$build_scratch" || return 1
        status=0
        build_once "$log" || status=$?
    fi
    if [ $status != 0 ]; then
        cat "$log" >&2
        echo "$build_name: the build failed: $(grep -m 1 'error:' "$log")" >&2
    fi
    rm -f "$log"
    return $status
}

# Moves a product into place whole, so that a program which starts meanwhile never loads half a file. With
# $build_keeps_same a file that has the same content already keeps its time stamp.
build_publish() {
    local staged
    [ -z "${build_keeps_same-}" ] || ! cmp -s "$build_scratch/release/$1" "$2" || return 0
    staged=$(dirname "$2")/.$(basename "$2").$$
    mkdir -p "$(dirname "$2")" && cp "$build_scratch/release/$1" "$staged" && mv -f "$staged" "$2" && return 0
    rm -f "$staged"
    return 1
}

# Tests link the plugin's kernels: they run the very code that users run, and save the time to compile it. The archive's
# name tells its content, because SwiftPM links a program again where names change, not where an archive does.
build_kernel_archive() {
    local list=$build_scratch/release/gsthdr.product/Objects.LinkFileList objects archive
    [ -f "$list" ] || return 1
    mapfile -t objects < <(tr -d "'" <"$list" | grep /HDRVectorKernels)
    [ "${#objects[@]}" -gt 0 ] || return 1
    archive=$build_scratch/kernels-$(cat -- "${objects[@]}" | sha256sum | cut -c1-16).a
    if [ ! -f "$archive" ]; then
        rm -f "$build_scratch"/kernels-*.a
        ar rcD "$archive.new" "${objects[@]}" && mv "$archive.new" "$archive" || return 1
    fi
    echo "$archive"
}
