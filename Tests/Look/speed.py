"""How long methods take for a picture of 3840x2160, beside zimg and libplacebo, in processor time on the same machine.

    Tests/Look/look --speed                                      hdrconvert as it is, and bt2390 with clip
    Tests/Look/look --speed "tone-mapping=spline gamut-mapping=perceptual"

zimg (ffmpeg's zscale) has no tone curve: it converts PQ in BT.2020 to BT.709 and clips. It reads and writes planar
pictures, which costs it nothing that hdrconvert's P010 and NV12 would not. libplacebo runs on a Vulkan device in
software; that has as many threads as the machine, so processor time is what can be compared.
"""
import json
import os
import resource
import subprocess

import clip
import methods

WIDTH, HEIGHT = 3840, 2160
SETS = ("v4", "v3", "baseline")
DEFAULT = [("hdrconvert", ""), ("bt2390 clip", "tone-mapping=bt2390 gamut-mapping=clip peak-detection=off")]
ZIMG = (
    "zscale=tin=smpte2084:pin=bt2020:min=bt2020nc:rin=tv:t=bt709:p=bt709:m=bt709:r=tv:"
    f"npl={clip.oracle.REFERENCE_WHITE:.0f}")


def hdrconvert(setting, cpu):
    """Milliseconds of processor time for a picture, or None where the machine lacks the instruction set."""
    tone = next((part.partition("=")[2] for part in setting.split() if part.startswith("tone-mapping=")), "auto")
    rest = " ".join(part for part in setting.split() if not part.startswith("tone-mapping="))
    command = [os.path.join(clip.ROOT, "build", "bin", "hdr"), "bench", "convert", "pq-sdr", "--json", "--cpu", cpu,
               "--starts", "3", "--tone", tone, *(["--set", rest] if rest else [])]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise clip.Skipped(f"hdrconvert {setting}, {cpu}: {ended.stderr.strip().split(chr(10))[0]}")
    times = [row["cpu-ms-per-frame"] for row in json.loads(ended.stdout) if row["element"] == "hdrconvert"]
    return min(times) if times else None


def filtered(enter, graph, pictures):
    """Milliseconds of processor time that ffmpeg's filter takes for a picture: of a run with it less one without."""
    def run(filters, count):
        command = [*enter, "ffmpeg", "-v", "error", "-threads", "1", "-filter_threads", "1", "-init_hw_device", "vulkan"]
        command = command if "libplacebo" in filters else command[:-2]
        source = f"testsrc2=s={WIDTH}x{HEIGHT}:r=1,format=yuv420p10le"
        source += ",setparams=color_trc=smpte2084:color_primaries=bt2020:colorspace=bt2020nc:range=tv,loop=-1:1"
        command += ["-f", "lavfi", "-i", source, "-vf", filters, "-frames:v", str(count), "-f", "null", "-"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode:
            raise clip.Skipped(f"{filters}: {ended.stderr.strip().split(chr(10))[0]}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # Start-up and the first picture, which carries shaders and tables, are in both runs.
    return 1000 * (run(graph, 1 + pictures) - run(graph, 1)) / pictures


def report(converter, named, say):
    settings = [tuple(text.split(":", 1)) if ":" in text else (text, text) for text in named] or DEFAULT
    print(f"{'CPU ms a picture':<44}" + "".join(f"{name:>10}" for name in SETS))
    for name, setting in settings:
        times = []
        for cpu in SETS:
            try:
                times.append(hdrconvert(setting, cpu))
            except clip.Skipped as reason:
                say(str(reason))
                times.append(None)
        print(f"{name:<44}" + "".join("         -" if time is None else f"{time:10.1f}" for time in times), flush=True)
    peers = [("zimg, no tone curve", [], ZIMG + ",format=yuv420p", 20)]
    try:
        converter.make_tree()
        enter = ["chroot", converter.tree] if os.geteuid() == 0 else ["sudo", "chroot", converter.tree]
        peers.append(("libplacebo on lavapipe", enter,
                      "libplacebo=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv:format=yuv420p:"
                      + methods.WITHOUT_GRID, 5))
    except clip.Skipped as reason:
        say(str(reason))
    for name, enter, graph, pictures in peers:
        try:
            print(f"{name:<44}{filtered(enter, graph, pictures):10.1f}", flush=True)
        except clip.Skipped as reason:
            say(f"{name}: {reason}")
