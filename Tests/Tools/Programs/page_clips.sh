#!/usr/bin/env bash
# Makes the files that lines of the pages name, small and short, in the current folder. `film.edl` is the page's own.
set -euo pipefail

run() { gst-launch-1.0 -q "$@"; }
pictures() { echo "videotestsrc num-buffers=$1 pattern=smpte75 ! video/x-raw,width=160,height=90,framerate=$2/1,format=$3"; }
tone() { echo "audiotestsrc num-buffers=$1 samplesperbuffer=$2 ! audio/x-raw,rate=$2"; }
pq=I420_10LE,colorimetry=bt2100-pq
levels="speed-preset=ultrafast content-light-level-info=414:314
    mastering-display-color-volume=34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"

# shellcheck disable=SC2046,SC2086
{
    run $(pictures 30 30 $pq) ! m.video_0 hdrmux-settings name=m file-type=matroska $levels ! filesink location=hdr.mkv
    run $(pictures 30 30 $pq) ! m.video_0 $(tone 1 44100) ! m.audio_0 hdrmux-settings name=m $levels ! \
        filesink location=clip.mov
    run $(pictures 30 30 I420_10LE,colorimetry=bt709) ! x265enc speed-preset=ultrafast ! h265parse ! mp4mux ! \
        filesink location=washed-out.mp4
    # For statements with times, and for a still at 12.5 s.
    run $(pictures 20 5 $pq) ! m.video_0 hdrmux-settings name=m $levels ! filesink location=a.mov
    run $(pictures 28 2 $pq) ! m.video_0 $(tone 14 44100) ! m.audio_0 hdrmux-settings name=m $levels ! \
        filesink location=long.mov
    run $(pictures 1 1 RGB) ! pngenc ! filesink location=title.png
    run $(tone 1 44100) ! flacenc ! filesink location=music.flac
    run $(tone 1 44100) ! wavenc ! filesink location=speech.wav
    # Two minutes, with a picture 123.
    run $(pictures 126 1 $pq) ! m.video_0 hdrmux-settings name=m file-type=mp4 $levels ! filesink location=encoded.mp4
}
cp hdr.mkv input.mkv
cp a.mov b.mkv && cp a.mov "b two.mkv"
cp clip.mov intro.mov
cp clip.mov foreground.mov && cp clip.mov background.mov
mkdir holiday album
cp clip.mov holiday
cp music.flac speech.wav album

# metadata FRAMES FILE NAME: a copy with Dolby Vision and HDR10+.
metadata() {
    local level='"max_display_mastering_luminance":1000,"min_display_mastering_luminance":1'
    level+=',"max_content_light_level":1000,"max_frame_average_light_level":400'
    echo "{\"cm_version\":\"V40\",\"profile\":\"8.1\",\"length\":$1,\"level6\":{$level}}" >CONFIG.json
    local light='"AverageRGB":1037,"MaxScl":[17830,16895,14252],"LuminanceDistributions":{'
    light+='"DistributionIndex":[1,5,10,25,50,75,90,95,99]'
    light+=',"DistributionValues":[3,14024,43,56,219,1036,2714,4668,14445]}'
    local entries=() index
    for ((index = 0; index < $1; index++)); do
        entries+=("{\"LuminanceParameters\":{$light},\"NumberOfWindows\":1,\"SequenceFrameIndex\":$index
            ,\"TargetedSystemDisplayMaximumLuminance\":0,\"SceneFrameIndex\":$index,\"SceneId\":0}")
    done
    {
        echo '{"JSONInfo":{"HDR10plusProfile":"A","Version":"1.0"},"SceneInfo":['
        (IFS=, && echo "${entries[*]}")
        echo "],\"SceneInfoSummary\":{\"SceneFirstFrameIndex\":[0],\"SceneFrameNumbers\":[$1]}}"
    } >META.json
    hdr rpu generate CONFIG.json -o RPU.bin
    hdr rpu inject "$2" --rpu RPU.bin -o vision.mov
    hdr hdr10plus inject vision.mov --metadata META.json -o "$3"
    rm vision.mov RPU.bin
}
metadata 28 long.mov recording.mov
metadata 126 encoded.mp4 both.mp4
printf '1\n00:00:01,000 --> 00:02:00,000\nWords\n' >words.srt
# shellcheck disable=SC2046
run filesrc location=both.mp4 ! qtdemux ! h265parse ! m. $(tone 126 8000) ! avenc_aac ! aacparse ! taginject tags=language-code=de ! m. \
    filesrc location=words.srt ! subparse ! taginject tags=language-code=en ! m. \
    matroskamux name=m ! filesink location=film.mkv
cp film.mkv remux.mkv
echo '{}' >EDITS.json

# Half a minute of black, then a clip.
range() {
    local time='{"OTIO_SCHEMA":"RationalTime.1","rate":5,"value":'
    echo "{\"OTIO_SCHEMA\":\"TimeRange.1\",\"start_time\":${time}0},\"duration\":${time}$1}}"
}
cat >film.otio <<END
{"OTIO_SCHEMA":"Timeline.1","name":"t","tracks":{"OTIO_SCHEMA":"Stack.1","children":[
  {"OTIO_SCHEMA":"Track.1","kind":"Video","source_range":null,"children":[
    {"OTIO_SCHEMA":"Gap.1","source_range":$(range 150)},
    {"OTIO_SCHEMA":"Clip.1","name":"c","source_range":$(range 10),"media_reference":
      {"OTIO_SCHEMA":"ExternalReference.1","available_range":null,"target_url":"a.mov"}}]}]}}
END
