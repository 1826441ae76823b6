# Functions that get a Debian 12 machine with only a Swift toolchain ready. To be sourced by bash; needs nothing else.
#
#   setup_packages GROUP...   installs the Debian packages of the groups runtime, demo, windows, play, build, test
#                             and look that are missing
#   setup_plugin              builds the plugins in build/plugins and the command build/bin/hdr if they are missing or
#                             older than their sources
#   setup_environment         lets GStreamer find that plugin
#   setup_help                prints a script's comment where --help is asked for
#   setup_use_case            all of these for a script that is a launch line or two
#   setup_hdr COMMAND "$@"    all of these for a script that is one call of `hdr`; ends it
#   setup_example NAME        builds build/examples/NAME, a Swift program of Sources/Examples, likewise
#
# They say nothing when there is nothing to do. When something fails they print one line on standard error, which starts
# with $setup_name, and return 1.

setup_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
setup_plugin_file=$setup_root/build/plugins/libgsthdr.so
setup_command_file=$setup_root/build/bin/hdr
: "${setup_name:=setup}"
[ -n "${setup_groups+x}" ] || setup_groups=()

# The packages of a group, one "package reason" a line. None of them pulls in a desktop: they are installed without what
# they only recommend.
setup_group() {
    case $1 in
    runtime)
        cat <<'END'
gstreamer1.0-tools the gst-launch-1.0 and gst-inspect-1.0 commands
gstreamer1.0-plugins-base raw video and audio
gstreamer1.0-plugins-good MP4, MOV and Matroska files, VP9, PNG
gstreamer1.0-plugins-bad HEVC and AV1 streams
gstreamer1.0-plugins-ugly the H.264 encoder x264
gstreamer1.0-libav HEVC, ProRes and AAC codecs
gstreamer1.0-x what pictures say in letters, and subtitles
fonts-dejavu-core these letters
END
        ;;
    demo)
        echo "libjxl-testdata the HDR photograph of the demonstration"
        ;;
    windows)
        # The plugin loads these when a window opens; nothing else needs them.
        cat <<'END'
libwayland-client0 windows on Wayland
libxcb1 windows on X11
libxcb-present0 windows on X11
libxcb-shm0 windows on X11
libxcb-render0 windows on X11
libxcb-randr0 windows on X11
END
        ;;
    play)
        echo "gstreamer1.0-alsa sound cards where there is no sound server"
        ;;
    build)
        echo "pkg-config finding headers"
        sed -E '/^#/d; s/^[^ ]+ //' "$setup_root/meson-wrap/build-packages"
        ;;
    test)
        cat <<'END'
binutils nm, readelf and objdump
clang-format the layout of C
meson the build as a subproject
ninja-build the build as a subproject
debhelper Debian packages
gobject-introspection the library for other languages
libgirepository1.0-dev the library for other languages
gjs the library in JavaScript
valac the library in Vala
valgrind memory that is used after it was freed
gdb where tests that hang are
gstreamer1.0-plugins-base-apps gst-play-1.0, a player that knows nothing of this
ffmpeg another reader of files and pictures
x265 another user of the encoder
mediainfo another reader of files
mkvtoolnix another reader of Matroska files
libebur128-1 loudness
xvfb an X server without a screen
weston a Wayland compositor without a screen
python3-gi examples in Python
gir1.2-gst-plugins-base-1.0 examples in Python
gir1.2-ges-1.0 timelines of GStreamer Editing Services
ges1.0-tools timelines of GStreamer Editing Services
libgtk-3-dev a window of GTK
python3-venv readers of stills from PyPI
gcc-aarch64-linux-gnu programs for arm64
libc6-dev-arm64-cross programs for arm64
qemu-user an arm64 processor
END
        ;;
    look)
        cat <<'END'
python3-numpy figures of pictures
python3-pil contact sheets
fonts-dejavu-core what they say
ffmpeg a reader of clips
debootstrap Debian 13 with libplacebo
END
        ;;
    *)
        echo "$setup_name: no package group is called $1" >&2
        return 1
        ;;
    esac
}

setup_is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Runs apt-get without questions, with root's rights. Its own output is shown only when it fails.
setup_apt_get() {
    local as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
        apt-get -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 -qq "$@"
}

setup_packages() {
    local group lines package reason missing=() why=()
    for group in "$@"; do
        lines=$(setup_group "$group") || return 1
        while read -r package reason; do
            case " ${missing[*]} " in *" $package "*) continue ;; esac
            setup_is_installed "$package" && continue
            missing+=("$package")
            why+=("$package ($reason)")
        done <<<"$lines"
    done
    [ ${#missing[@]} = 0 ] && return 0

    if ! command -v apt-get >/dev/null; then
        echo "$setup_name: this needs Debian's apt-get; without it, install the like of: ${missing[*]}" >&2
        return 1
    fi
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        echo "$setup_name: packages are missing; as root run:" \
            "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
        return 1
    fi
    local list
    printf -v list '%s, ' "${why[@]}"
    echo "Installing with apt-get: ${list%, }" >&2
    local output
    if ! output=$(setup_apt_get update 2>&1 </dev/null) ||
        ! output=$(setup_apt_get install -y --no-install-recommends "${missing[@]}" 2>&1 </dev/null); then
        # The last error names the reason; the ones before it are often about single mirrors.
        output=$(grep '^E: ' <<<"$output" | tail -n 1)
        echo "$setup_name: apt-get could not install ${missing[*]}: ${output:-it gave no reason}" >&2
        return 1
    fi
}

# Whether a built file is missing or older than one of its sources.
setup_is_stale() {
    [ -f "$1" ] || return 0
    # Generated files are as new as the build, and documentation pages are not compiled.
    [ -n "$(find "$setup_root/Sources" "$setup_root/Package.swift" \( -name generated -o -name '*.docc' \) -prune -o -newer "$1" -print -quit)" ]
}

# A plugin that was copied here without its command is used as it is, on machines that cannot build either.
setup_plugin_is_stale() {
    setup_is_stale "$setup_plugin_file" || { command -v swift >/dev/null && setup_is_stale "$setup_command_file"; }
}

setup_plugin() {
    setup_plugin_is_stale || return 0
    mkdir -p "$setup_root/build" || return 1
    # Two commands started at once must not build into the same folder.
    (
        flock 9
        setup_plugin_is_stale || exit 0
        "$setup_root/meson-wrap/build-plugin" >&2
    ) 9>"$setup_root/build/.lock" || {
        echo "$setup_name: the plugin could not be built; meson-wrap/build-plugin says why" >&2
        return 1
    }
    # A build that changes nothing leaves the old files, which would look stale for ever.
    touch "$setup_plugin_file" "$setup_command_file"
}

setup_environment() {
    export GST_PLUGIN_PATH=$setup_root/build/plugins${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
}

# Programs for applications have a scratch folder of their own: the plugin's build leaves out what they are made of, and
# that of the tests has other flags.
setup_example() {
    local program=$setup_root/build/examples/$1
    setup_is_stale "$program" || return 0
    command -v swift >/dev/null || {
        echo "$setup_name: the program $1 is not built yet: install Swift 6.3, put it in PATH, and try again" >&2
        return 1
    }
    setup_packages build || return 1
    mkdir -p "$setup_root/build" || return 1
    (
        flock 9
        setup_is_stale "$program" || exit 0
        GST_HDR_BUILD_DIR=$setup_root/.build/examples
        build_name=$setup_name
        # shellcheck source=../../meson-wrap/build.sh
        . "$setup_root/meson-wrap/build.sh"
        build_own_scratch "$build_scratch" || exit 1
        echo "$setup_name: building the program $1" >&2
        # The program has no run path of the toolchain's libraries, so that it runs where there is no toolchain.
        output=$(swift build --package-path "$setup_root" -c release --scratch-path "$build_scratch" --product "$1" \
            --static-swift-stdlib 2>&1) || {
            echo "$output" >&2
            exit 1
        }
        build_publish "$1" "$program"
    ) 9>"$setup_root/build/.lock-examples" || {
        echo "$setup_name: the program $1 could not be built; the lines above say why" >&2
        return 1
    }
}

# Prints a script's comment as its help and ends it, where an argument asks for that.
#   setup_help SCRIPT "$@"
setup_help() {
    local script=$1 argument
    shift
    for argument in "$@"; do
        case $argument in
        -h | --help)
            sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$script"
            exit 0
            ;;
        esac
    done
}

# Gets the machine ready for one call of the command hdr, and becomes that. Help and its like need no packages.
#   setup_hdr SUBCOMMAND [ARGUMENT ...]      with further package groups in $setup_groups
setup_hdr() {
    local argument groups=(runtime "${setup_groups[@]}")
    setup_plugin_is_stale && groups+=(build)
    for argument in "$@"; do
        # For machines where nothing may be installed: what is missing is an error of its own then.
        [ "$argument" != --no-install ] || groups=()
    done
    [ ${#groups[@]} = 0 ] || setup_packages "${groups[@]}" || exit 1
    setup_plugin || exit 1
    setup_environment
    exec "$setup_command_file" "$@"
}

# What a script of one use has to do first: its comment is its help, and it takes a number of file names, or with a "+"
# behind it that many or more, the last two of which it writes. They are in $setup_files, without the options: --no-install
# installs no packages, --force replaces outputs. What it writes is put beside its place first, and takes that when all is
# done, so that nothing is lost and nothing is left behind where it fails.
#   setup_use_case SCRIPT NUMBER "$@"
setup_use_case() {
    local script=$1 count=$2 argument groups=(runtime) force= said output
    shift 2
    setup_help "$script" "$@"
    setup_files=()
    setup_plugin_is_stale && groups+=(build)
    for argument in "$@"; do
        case $argument in
        --no-install) groups=() ;;
        --force | -f) force=yes ;;
        *) setup_files+=("$argument") ;;
        esac
    done
    if [ ${#setup_files[@]} -lt "${count%+}" ] ||
        { [ ${#setup_files[@]} -gt "${count%+}" ] && [ "${count%+}" = "$count" ]; }; then
        echo "$setup_name: it takes ${count/+/ or more} file names, and was given ${#setup_files[@]}:" \
            "--help says which" >&2
        exit 2
    fi
    [ ${#groups[@]} = 0 ] || setup_packages "${groups[@]}" || exit 1
    setup_plugin || exit 1
    setup_environment

    setup_inputs=("${setup_files[@]:0:${#setup_files[@]}-2}")
    setup_outputs=("${setup_files[@]: -2}")
    for argument in "${setup_inputs[@]}"; do
        [ ! -d "$argument" ] || { echo "$setup_name: $argument is a folder: name a video file" >&2 && exit 1; }
        # Its status is 1 where the video is SDR.
        said=$("$setup_command_file" inspect -- "$argument" 2>&1 >/dev/null) || [ $? = 1 ] ||
            { echo "$setup_name: ${said#hdr inspect: }" >&2 && exit 1; }
    done
    for output in "${setup_outputs[@]}"; do
        said=$(setup_output_problem "$output" "$force")
        [ -z "$said" ] || { echo "$setup_name: ${output//[[:cntrl:]]/?} $said" >&2 && exit 1; }
    done
    trap 'setup_publish $?' EXIT
    setup_folders=()
    for output in 0 1; do
        setup_folders[output]=$(mktemp -d "$(dirname -- "${setup_outputs[output]}")/.$setup_name-XXXXXX") || exit 1
        setup_files[${#setup_inputs[@]} + output]=${setup_folders[output]}/$(basename -- "${setup_outputs[output]}")
    done
}

# The reason why a file cannot be written; empty where it can.
setup_output_problem() {
    local output=$1 force=$2 input folder
    folder=$(dirname -- "$output")
    for input in "${setup_inputs[@]}"; do
        [ ! "$input" -ef "$output" ] || { echo "is the input itself: name another output" && return; }
    done
    if [ "${setup_outputs[0]}" = "${setup_outputs[1]}" ]; then
        echo "is named for the video and for the picture: name another one"
    elif [ -d "$output" ] || [[ $output = */ ]]; then
        echo "is a folder: name the file to write"
    elif [ ! -d "$folder" ]; then
        echo "lies in a folder that is not there: create it first (mkdir -p)"
    elif [ ! -w "$folder" ]; then
        echo "lies in a folder that cannot be written to: name an output elsewhere"
    elif [ -e "$output" ] && [ ! -f "$output" ]; then
        echo "is not a regular file: name another output"
    elif [ -e "$output" ] && [ -z "$force" ]; then
        echo "exists already: name another output, or add --force to replace it"
    fi
}

# Ends a script of one use: its outputs take their places where it went well.
#   setup_publish STATUS
setup_publish() {
    local status=$1 index
    trap - EXIT
    for index in 0 1; do
        [ "$status" != 0 ] || mv -f -- "${setup_files[${#setup_inputs[@]} + index]}" "${setup_outputs[index]}" || status=1
    done
    rm -rf -- "${setup_folders[@]}"
    # gst-launch-1.0 exits with 255.
    [ "$status" -le 2 ] || [ "$status" = 130 ] || [ "$status" = 143 ] || status=1
    exit "$status"
}
