#!/usr/bin/env python3
"""Known answers of the look lab's figures, and what its scenes promise. Needs numpy, no GStreamer and no samples."""
import unittest

import numpy as np

import metrics
import scenes
import sequences
from clip import Clip, oracle, packed_420, packed_rgb
from methods import Method

PLACE = np.random.default_rng(5)


def turned(picture, degrees):
    """Hue turned about the neutral axis of ITP."""
    angle = np.radians(degrees)
    turn = np.array([[1, 0, 0], [0, np.cos(angle), np.sin(angle)], [0, -np.sin(angle), np.cos(angle)]])
    return oracle.transform(turn, picture)


def colours():
    """Light of many colours that BT.709 has, in BT.709, up to 150 cd/m2."""
    return 1 + 149 * np.random.default_rng(1).random((60, 80, 3))


def neon_light():
    """A red of BT.2020 with stripes from 500 to 1500 cd/m2."""
    level = 1000 + 500 * np.sin(np.arange(120) / 2)[None, :] * np.ones((40, 1))
    return level[..., None] * np.array([1.0, 0, 0])


class ColourTests(unittest.TestCase):
    def test_the_same_picture_has_changed_nothing(self):
        picture = metrics.itp(colours(), "bt709")
        for value in metrics.colour_change(picture, picture).values():
            self.assertAlmostEqual(value, 0, 9)

    def test_a_turn_of_hue_is_its_angle(self):
        picture = metrics.itp(colours(), "bt709")
        for degrees in (3, -40, 179):
            change = metrics.colour_change(picture, turned(picture, degrees))
            self.assertAlmostEqual(change["hue"], abs(degrees), 6)
            self.assertAlmostEqual(change["hue95"], abs(degrees), 6)
            self.assertAlmostEqual(change["chroma_loss"], 0, 6)

    def test_half_of_the_chroma_is_a_loss_of_half(self):
        picture = metrics.itp(colours(), "bt709")
        change = metrics.colour_change(picture, picture * (1, 0.5, 0.5))
        self.assertAlmostEqual(change["chroma_loss"], 50, 6)
        self.assertAlmostEqual(change["chroma_loss95"], 50, 6)
        self.assertAlmostEqual(change["hue"], 0, 6)

    def test_a_turn_of_few_pixels_is_in_the_percentile_and_hardly_in_the_mean(self):
        picture = metrics.itp(np.full((100, 100, 3), (120.0, 40, 40)), "bt709")
        made = picture.copy()
        made[:10] = turned(picture[:10], 30)
        change = metrics.colour_change(picture, made)
        self.assertAlmostEqual(change["hue"], 3, 6)
        self.assertAlmostEqual(change["hue95"], 30, 6)

    def test_grey_and_black_have_no_hue_to_lose(self):
        for light in (np.full((9, 9, 3), 50.0), np.full((9, 9, 3), (0.01, 0, 0))):
            picture = metrics.itp(light, "bt709")
            self.assertEqual(metrics.colour_change(picture, turned(picture, 90))["hue"], 0)

    def test_clipping_turns_the_hue_of_orange_and_a_gain_hardly(self):
        orange = np.full((8, 8, 3), (800.0, 300, 20))
        before = metrics.itp(orange, "bt2020")
        clipped = metrics.itp(np.minimum(orange, 203), "bt2020")
        scaled = metrics.itp(orange * 203 / 800, "bt2020")
        self.assertGreater(metrics.colour_change(before, clipped)["hue"], 15)
        self.assertLess(metrics.colour_change(before, scaled)["hue"], 4)


class DetailTests(unittest.TestCase):
    def kept(self, made, light=None, primaries="bt2020"):
        source = neon_light() if light is None else light
        return metrics.detail_kept(
            metrics.itp(source, "bt2020"), metrics.itp(made, primaries), metrics.saturated(source))

    def test_the_same_picture_keeps_all(self):
        self.assertAlmostEqual(self.kept(neon_light()), 100, 6)

    def test_a_lower_exposure_keeps_nearly_all_and_clipping_nothing(self):
        self.assertGreater(self.kept(neon_light() / 8), 85)
        self.assertLess(abs(self.kept(np.minimum(neon_light(), 203))), 1)

    def test_clipping_is_flat_and_a_lower_exposure_is_not(self):
        source, everywhere = neon_light(), np.ones((40, 120), bool)
        before = metrics.itp(source, "bt2020")
        self.assertEqual(metrics.flattened(before, metrics.itp(source / 8, "bt2020"), everywhere), 0)
        self.assertEqual(metrics.flattened(before, metrics.itp(np.minimum(source, 203), "bt2020"), everywhere), 100)
        half = np.where(np.arange(120)[None, :, None] < 60, source / 8, np.minimum(source, 203))
        self.assertAlmostEqual(metrics.flattened(before, metrics.itp(half, "bt2020"), everywhere), 50, delta=3)

    def test_noise_is_no_detail(self):
        noise = 100 + 60 * np.random.default_rng(2).random((40, 120, 3))
        self.assertLess(abs(self.kept(noise)), 5)

    def test_half_of_the_gradient_is_half(self):
        source = metrics.itp(neon_light(), "bt2020")
        everywhere = np.ones(source.shape[:2], bool)
        self.assertAlmostEqual(metrics.detail_kept(source, source / 2, everywhere), 50, 6)

    def test_nothing_to_keep_is_no_figure(self):
        self.assertIsNone(self.kept(np.full((40, 120, 3), 50.0), np.full((40, 120, 3), 50.0)))

    def test_what_is_saturated_and_bright(self):
        light = np.array([[[300.0, 300, 300], [100, 0, 0], [5, 0, 0], [100, 90, 80], [0, 0, 250]]])
        self.assertEqual(metrics.saturated(light).tolist(), [[False, True, False, False, True]])
        self.assertEqual(metrics.bright(light).tolist(), [[True, False, False, False, True]])


class LevelTests(unittest.TestCase):
    def test_mean_light_is_of_light_and_not_of_signal(self):
        signal = np.zeros((10, 10, 3))
        signal[:5] = 1
        self.assertAlmostEqual(metrics.mean_light(metrics.shown(signal), "bt709"), 101.5, 9)

    def test_the_signal_of_what_was_white(self):
        source = np.full((40, 40, 3), 20.0)
        source[:10] = 203
        source[10:12] = (203, 260, 150)
        signal = np.full((40, 40, 3), 0.3)
        signal[:10] = 0.85
        self.assertAlmostEqual(metrics.white_level(source, signal), 85, 9)
        self.assertIsNone(metrics.white_level(np.full((40, 40, 3), 20.0), signal))


class BandingTests(unittest.TestCase):
    def test_a_wave_is_its_root_mean_square_after_both_gaussians(self):
        columns = np.arange(1200)
        for period in (10, 24, 60):
            signal = 0.5 + 4 / 255 * np.sin(2 * np.pi * columns / period)
            made = metrics.banding(np.tile(signal[None, :, None], (8, 1, 3)))
            gains = [np.exp(-2 * (np.pi * sigma / period) ** 2) for sigma in (1.5, 12)]
            wanted = 4 * gains[0] * (1 - gains[1]) / np.sqrt(2)
            # The steepest tenth of the pixels is left out, which costs a wave some of its phases.
            self.assertAlmostEqual(made / wanted, 1, delta=0.07)

    def test_steps_are_seen_and_dither_hides_them(self):
        ramp = np.tile(np.linspace(0.2, 0.8, 960)[None, :, None], (64, 1, 3))
        steps = np.floor(ramp * 32 + 0.5) / 32
        dither = PLACE.random(ramp.shape[:2] + (1,))
        dithered = np.floor(ramp * 32 + dither) / 32
        self.assertLess(metrics.banding(ramp), 1e-3)
        self.assertGreater(metrics.banding(steps), 1.5)
        self.assertLess(metrics.banding(dithered), metrics.banding(steps) * 0.8)


class PumpingTests(unittest.TestCase):
    def test_what_stands_still_does_not_pump(self):
        self.assertEqual(metrics.pumping([7] * 9), {"variation": 0, "step": 0})

    def test_range_and_step(self):
        found = metrics.pumping([100, 101, 102, 99, 98])
        self.assertAlmostEqual(found["variation"], 4)
        self.assertAlmostEqual(found["step"], 3)

    def test_a_cut_starts_anew_and_says_when_it_is_right(self):
        found = metrics.pumping([50] * 4 + [80, 90, 99, 100, 100], seam=4)
        self.assertAlmostEqual(found["first"], 20)
        self.assertEqual(found["settled"], 2)
        self.assertEqual(metrics.pumping([50] * 4 + [80] * 5, seam=4)["variation"], 0)


class ClipTests(unittest.TestCase):
    def test_light_comes_back(self):
        light = np.empty((8, 16, 3))
        light[:, :8], light[:, 8:] = 203, 5
        for transfer in ("pq", "hlg"):
            clip = Clip("x", "x", 16, 8, transfer, [packed_420(light, transfer)])
            np.testing.assert_allclose(clip.light(), light, rtol=0.012)
        signal = PLACE.random((8, 16, 3))
        clip = Clip("x", "x", 16, 8, "pq", [packed_rgb(signal)], "bt2020", True)
        np.testing.assert_allclose(oracle.pq_inverse_eotf(clip.light()), signal, atol=0.0006)

    def test_chroma_stays_where_it_is(self):
        columns = np.linspace(20, 180, 64)
        light = np.stack([np.tile(columns, (16, 1)), np.full((16, 64), 90.0), np.full((16, 64), 60.0)], -1)
        clip = Clip("x", "x", 64, 16, "pq", [packed_420(light)])
        np.testing.assert_allclose(clip.light()[:, 2:-2], light[:, 2:-2], rtol=0.03)

    def test_scenes_have_what_they_promise(self):
        office = scenes.office()
        self.assertAlmostEqual(float(office.max()), 400, 0)
        paper = np.abs(oracle.luminance(office, "bt2020") / 203 - 1) < 0.01
        self.assertGreater(paper.mean(), 0.1)
        neon = scenes.neon()
        self.assertGreater(float(neon.max()), 2500)
        self.assertGreater(metrics.saturated(neon).mean(), 0.1)
        np.testing.assert_array_equal(neon, scenes.neon())
        for name in ("lamp", "candle", "fire", "snow"):
            light = scenes.SCENES[name][0]()
            self.assertTrue(np.isfinite(light).all(), name)
            self.assertGreater(float(light.max()), 1400, name)

    def test_the_patch_of_sequences_does_not_change(self):
        for name in ("pan", "flash"):
            made = sequences.sequence(name)
            levels = [metrics.mean_light(made.light(index)[made.patch], "bt2020") for index in (0, 20, 21, len(made.frames) - 1)]
            self.assertLess(metrics.pumping(levels)["variation"], 0.2)
            self.assertAlmostEqual(levels[0], 60, 0)

    def test_methods_are_read(self):
        self.assertEqual(Method.parsed("libplacebo"), Method("libplacebo", "libplacebo"))
        self.assertEqual(
            Method.parsed("a=libplacebo:tonemapping=hable"), Method("a", "libplacebo", "tonemapping=hable"))
        self.assertEqual(Method.parsed("oracle:bt2390"), Method("oracle:bt2390", "oracle", "bt2390"))
        self.assertEqual(Method.parsed("now:"), Method("now", "hdrconvert"))
        self.assertEqual(
            Method.parsed("tone-mapping=spline"), Method("tone-mapping=spline", "hdrconvert", "tone-mapping=spline"))


if __name__ == "__main__":
    unittest.main()
