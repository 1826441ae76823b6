"""The music of a run without input: from a Debian package, or else made here."""

import os
import shutil
import subprocess
import tempfile

PACKAGE = "parsec47-data"
MUSIC = "usr/share/games/parsec47/sounds/ptn3.ogg"
NAME = "parsec47.ogg"
# Seconds: a mirror that does not answer must not hold up the demonstration.
DOWNLOAD_LIMIT = 60
# With these apt-get gives up soon without a network.
APT_GET = ["apt-get", "-qq", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10",
           "-o", "Acquire::https::Timeout=10"]


def find(folder):
    """The path of the music, kept in `folder` between runs, and a note on where it is from."""
    kept = os.path.join(folder, NAME)
    for path in (kept, os.path.join("/", MUSIC)):
        if os.path.isfile(path):
            return path, f"music by Kenta Cho from Debian's package {PACKAGE} (BSD licence)"
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".music-", dir=folder) as work:
            if _download(work):
                os.replace(os.path.join(work, MUSIC), kept)
                return find(folder)
            return _generate(folder, work)
    except OSError as error:
        from media import Failure

        raise Failure(f"the music cannot be stored in {folder}: {error.strerror}: give an INPUT") from None


def _generate(folder, work):
    import generated_music

    made = os.path.join(work, "music.wav")
    generated_music.write(made)
    final = os.path.join(folder, "generated.wav")
    os.replace(made, final)
    return final, f"music made by this command, because {PACKAGE} could not be fetched from Debian"


def _download(work):
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return False
    download = [*APT_GET, "download", PACKAGE]
    # A machine may never have fetched its list of packages, or an old one.
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if not _run(download, work) and not (_run([*as_root, *APT_GET, "update"], work) and _run(download, work)):
        return False
    packages = [name for name in os.listdir(work) if name.endswith(".deb")]
    return bool(packages) and _run(["dpkg-deb", "-x", packages[0], "."], work) and os.path.isfile(
        os.path.join(work, MUSIC))


def _run(words, folder):
    from media import Signals

    Signals.check()
    try:
        done = subprocess.run(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=DOWNLOAD_LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    Signals.check()
    return done.returncode == 0
