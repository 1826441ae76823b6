"""Four chords with bass and drums, where there is no music to be had. The same samples every time."""

import wave

import numpy as np

RATE = 44100
BEAT = RATE // 2  # 120 beats a minute
BARS = 16
# A minor, F, C, G as MIDI notes: the bass, then the chord.
CHORDS = ((33, 57, 60, 64), (29, 57, 60, 65), (36, 55, 60, 64), (31, 55, 59, 62))


def write(path):
    """Writes 32 seconds, a WAV file with two channels."""
    sound = np.zeros((BARS * 4 * BEAT, 2))
    noise = np.random.default_rng(1).standard_normal((BEAT, 2))
    for bar in range(BARS):
        bass, *chord = CHORDS[bar % len(CHORDS)]
        start = bar * 4 * BEAT
        for voice, note in enumerate(chord):
            pan = voice / (len(chord) - 1)
            _add(sound, start, _tone(note, 4 * BEAT, 24, 1.5, attack=0.2) * 0.10, 0.8 - 0.6 * pan, 0.2 + 0.6 * pan)
        for eighth in range(8):
            at = start + eighth * BEAT // 2
            _add(sound, at, _tone(bass + 12 * (eighth % 2), BEAT // 2, 10, 6) * 0.22)
            arpeggio = chord[eighth % len(chord)] + 24
            _add(sound, at, _tone(arpeggio, BEAT // 2, 6, 9) * 0.08, 0.3 + 0.4 * (eighth % 2), 0.7 - 0.4 * (eighth % 2))
            # The hi-hat is noise without its lows.
            _add(sound, at, np.diff(noise, axis=0)[:BEAT // 4] * _decay(BEAT // 4, 60)[:, None] * 0.05)
        for beat in range(4):
            at = start + beat * BEAT
            if beat % 2:
                _add(sound, at, noise[:BEAT // 2] * _decay(BEAT // 2, 22)[:, None] * 0.12)
            else:
                _add(sound, at, _drum(BEAT // 2) * 0.5)
    sound /= np.abs(sound).max() * 1.1
    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.round(sound * 32767).astype("<i2").tobytes())


def _tone(note, length, harmonics, decay, attack=0.005):
    frequency = 440 * 2 ** ((note - 69) / 12)
    times = np.arange(length) / RATE
    tone = sum(
        np.sin(2 * np.pi * frequency * number * times) * _decay(length, decay * number ** 0.5) / number
        for number in range(1, harmonics + 1) if frequency * number < RATE * 0.45)
    return tone * np.minimum(1, times / attack) * np.minimum(1, (length / RATE - times) / 0.01)


def _drum(length):
    times = np.arange(length) / RATE
    return np.sin(2 * np.pi * (50 * times - 4 * np.exp(-30 * times))) * _decay(length, 12)


def _decay(length, speed):
    return np.exp(-speed * np.arange(length) / RATE)


def _add(sound, start, part, left=1.0, right=1.0):
    if part.ndim == 1:
        part = np.column_stack((part * left, part * right))
    end = min(start + len(part), len(sound))
    sound[start:end] += part[:end - start]
