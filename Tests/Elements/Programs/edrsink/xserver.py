"""An X server without a screen, and what can be seen on it, by libX11 itself."""
import ctypes
import shutil
import signal
import subprocess

LIBC = ctypes.CDLL(None)
X = ctypes.CDLL("libX11.so.6")
for name in ("XOpenDisplay", "XGetImage"):
    getattr(X, name).restype = ctypes.c_void_p
for name in ("XDefaultRootWindow", "XCreateSimpleWindow"):
    getattr(X, name).restype = ctypes.c_ulong


class Image(ctypes.Structure):
    """The beginning of XImage."""
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.POINTER(ctypes.c_char)), ("byte_order", ctypes.c_int), ("bitmap_unit", ctypes.c_int),
                ("bitmap_bit_order", ctypes.c_int), ("bitmap_pad", ctypes.c_int), ("depth", ctypes.c_int),
                ("bytes_per_line", ctypes.c_int), ("bits_per_pixel", ctypes.c_int), ("red_mask", ctypes.c_ulong),
                ("green_mask", ctypes.c_ulong), ("blue_mask", ctypes.c_ulong)]


def serve(program, *arguments, **more):
    """A server that ends with this program at the latest."""
    def before():
        LIBC.prctl(1, signal.SIGKILL)
        # A thread of whoever started this may have blocked signals, and programs inherit that.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    return subprocess.Popen([shutil.which(program), *arguments], stderr=subprocess.DEVNULL, preexec_fn=before, **more)


class Screen:
    """An Xvfb of its own, to be used in a `with`."""

    def __init__(self, depth=24, width=320, height=240):
        self.size = (width, height)
        self.server = serve(
            "Xvfb", "-displayfd", "1", "-screen", "0", f"{width}x{height}x{depth}", "-noreset", "-ac", "-nolisten", "tcp",
            stdout=subprocess.PIPE)
        self.name = ":" + self.server.stdout.readline().decode().strip()
        self.display = ctypes.c_void_p(X.XOpenDisplay(self.name.encode()))
        assert self.display, self.name
        self.root = ctypes.c_ulong(X.XDefaultRootWindow(self.display))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        X.XCloseDisplay(self.display)
        self.server.terminate()
        self.server.wait()

    def window(self, width, height):
        """A window of the application's."""
        window = ctypes.c_ulong(X.XCreateSimpleWindow(self.display, self.root, 0, 0, width, height, 0, 0, 0))
        X.XMapWindow(self.display, window)
        X.XSync(self.display, 0)
        return window.value

    def resize(self, window, width, height):
        X.XResizeWindow(self.display, ctypes.c_ulong(window), width, height)
        X.XSync(self.display, 0)

    def point(self, window, x, y):
        """Moves the pointer to a place in a window."""
        X.XWarpPointer(self.display, ctypes.c_ulong(0), ctypes.c_ulong(window), 0, 0, 0, 0, x, y)
        X.XSync(self.display, 0)

    def children(self, of=None):
        """The windows in a window, the lowest first."""
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        found = ctypes.POINTER(ctypes.c_ulong)()
        X.XQueryTree(self.display, ctypes.c_ulong(of) if of else self.root, ctypes.byref(root), ctypes.byref(parent),
                     ctypes.byref(found), ctypes.byref(count))
        return [found[index] for index in range(count.value)]

    def grab(self):
        """Rows of R, G, B of what is seen on the screen, of 8 or 10 bits."""
        width, height = self.size
        address = X.XGetImage(self.display, self.root, 0, 0, width, height, ctypes.c_ulong(0xFFFFFFFF), 2)
        assert address, "no picture of the screen"
        image = ctypes.cast(ctypes.c_void_p(address), ctypes.POINTER(Image)).contents
        assert image.bits_per_pixel == 32, image.bits_per_pixel
        masks = [image.red_mask, image.green_mask, image.blue_mask]
        shifts = [(mask & -mask).bit_length() - 1 for mask in masks]
        data = ctypes.string_at(image.data, image.bytes_per_line * height)
        words = memoryview(data).cast("I")
        row = image.bytes_per_line // 4
        pixels = [[tuple((word & mask) >> shift for mask, shift in zip(masks, shifts))
                   for word in words[y * row:y * row + width]] for y in range(height)]
        X.XFree(image.data)
        X.XFree(ctypes.c_void_p(address))
        return pixels
