import CGStreamer
import Glibc

// Measures the elements of this project beside GStreamer's own.

let usage = """
    Usage: hdrbench convert [CONVERSION ...] [OPTION ...]
           hdrbench tap [--starts N] [--buffers N] [--json]

      convert          hdrconvert, beside videoconvert on the same frames and memcpy of as many bytes
      --list           the conversions, and the instruction sets of this machine; nothing is measured
      --cpu LIST       instruction sets: baseline, v3, v4 or all (the best that this machine runs)
      --threads LIST   n-threads of hdrconvert and videoconvert (1)
      --quality LIST   fast, balanced, reference or all (balanced)
      --tone LIST      tone curves, where one has a say (pq-sdr: bt2390 and bt2446a; else as --list shows)
      --from FORMAT    another pixel format in place of the conversions' source, as GStreamer names it
      --to FORMAT      another one in place of their target
      --set PROPERTIES of hdrconvert, as on a launch line: "tone-mapping-domain=ictcp gamut-mapping=softclip"
      --size WxH       of the frames (3840x2160)
      --content WHAT   natural, random or flat (natural)
      --frames N       frames for each subject and process; slow subjects get fewer (24)

      tap              hdrtap on stereo F32 at 48 kHz, 1024 frames a buffer, beside identity, audiochebband and
                       equalizer-3bands
      --buffers N      buffers for each subject and process (20000)

      --starts N       processes to start, whose median counts (5)
      --json           JSON in place of a table

    A LIST has commas between its members. GST_PLUGIN_PATH has to name the folder of libgsthdr.so.
    """

let line = CommandLine.arguments.dropFirst()
if line.contains("--help") || line.contains("-h") {
    print(usage)
    exit(0)
}
switch line.first {
case "tap": TapCommand(line.dropFirst()).run()
case "convert": ConvertCommand(options: ConvertOptions(line.dropFirst())).run()
case let asked?: fail("cannot measure \(asked): there are convert and tap")
case nil: fail("say what to measure\n\(usage)")
}
