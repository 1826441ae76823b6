// Pipelines that begin on one instant, at one rate, through the C library libgsthdr-1.0, without a crate.
//
//     rustc -O --edition 2021 Sources/Examples/start_together.rs -C link-args="$(pkg-config --libs gstreamer-hdr-1.0)"
//     ./start_together RATE LINE...
//
// A LINE is what gst-launch-1.0 takes, as "filesrc location=film.mov ! decodebin ! autovideosink".
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int, c_uint};
use std::process::exit;
use std::ptr::null_mut;

const PAUSED: c_int = 3;
const NULL: c_int = 1;
const EOS: c_uint = 1 << 0;
const ERROR: c_uint = 1 << 1;
const MILLISECOND: u64 = 1_000_000;
/// GST_CLOCK_TIME_NONE
const NEVER: u64 = u64::MAX;

#[repr(C)]
struct Error {
    domain: u32,
    code: c_int,
    message: *const c_char,
}

/// The beginning of a GstMessage.
#[repr(C)]
struct Message {
    mini_object: [u64; 8],
    kind: c_uint,
}

type Object = *mut c_void;

extern "C" {
    fn gst_init(argc: *mut c_int, argv: *mut *mut *mut c_char);
    fn gst_parse_launch(line: *const c_char, error: *mut *mut Error) -> Object;
    fn gst_element_set_state(element: Object, state: c_int) -> c_int;
    fn gst_element_get_bus(element: Object) -> Object;
    fn gst_bus_timed_pop_filtered(bus: Object, timeout: u64, kinds: c_uint) -> *mut Message;
    fn gst_message_parse_error(message: *mut Message, error: *mut *mut Error, debug: *mut *mut c_char);
    fn gst_mini_object_unref(object: *mut Message);
    fn gst_system_clock_obtain() -> Object;
    fn gst_clock_get_time(clock: Object) -> u64;
    fn gst_object_unref(object: Object);
    fn g_object_unref(object: Object);
    fn gst_hdr_use_master_clock(pipeline: Object, clock: Object, error: *mut *mut Error) -> c_int;
    fn gst_hdr_set_rate_time_at_host_time(
        pipeline: Object,
        rate: f64,
        item_time: u64,
        host_time: u64,
        error: *mut *mut Error,
    ) -> c_int;
    fn gst_hdr_get_timebase(pipeline: Object) -> Object;
    fn gst_hdr_timebase_get_time_at(timebase: Object, source_time: i64) -> i64;
}

fn fail(error: *const Error) -> ! {
    let text = unsafe { CStr::from_ptr((*error).message) };
    eprintln!("start_together: {}", text.to_string_lossy());
    exit(1)
}

/// Calls a function that returns whether it could, and else sets an error.
fn check(call: impl FnOnce(*mut *mut Error) -> c_int) {
    let mut error = null_mut();
    if call(&mut error) == 0 {
        fail(error)
    }
}

struct Film {
    pipeline: Object,
    timebase: Object,
}

impl Film {
    fn new(line: &str, clock: Object) -> Film {
        let line = CString::new(line).expect("arguments have no NUL");
        let mut error = null_mut();
        unsafe {
            let pipeline = gst_parse_launch(line.as_ptr(), &mut error);
            if !error.is_null() {
                fail(error)
            }
            gst_element_set_state(pipeline, PAUSED);
            check(|error| gst_hdr_use_master_clock(pipeline, clock, error));
            Film { pipeline, timebase: gst_hdr_get_timebase(pipeline) }
        }
    }

    fn start(&self, rate: f64, time: u64, host_time: u64) {
        check(|error| unsafe { gst_hdr_set_rate_time_at_host_time(self.pipeline, rate, time, host_time, error) })
    }

    /// The time of the film when the clock shows `host_time`, in ns.
    fn time(&self, host_time: u64) -> i64 {
        unsafe { gst_hdr_timebase_get_time_at(self.timebase, host_time as i64) }
    }

    fn wait(&self) {
        unsafe {
            let bus = gst_element_get_bus(self.pipeline);
            let message = gst_bus_timed_pop_filtered(bus, NEVER, EOS | ERROR);
            if (*message).kind == ERROR {
                let mut error = null_mut();
                gst_message_parse_error(message, &mut error, null_mut());
                fail(error)
            }
            gst_mini_object_unref(message);
            gst_object_unref(bus);
        }
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        unsafe {
            gst_element_set_state(self.pipeline, NULL);
            g_object_unref(self.timebase);
            gst_object_unref(self.pipeline);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rate: f64 = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(0.0);
    if !(rate > 0.0) || arguments.len() < 2 {
        eprintln!("usage: start_together RATE LINE...");
        exit(2)
    }
    unsafe { gst_init(null_mut(), null_mut()) };
    let clock = unsafe { gst_system_clock_obtain() };
    let films: Vec<Film> = arguments[1..].iter().map(|line| Film::new(line, clock)).collect();
    let start = unsafe { gst_clock_get_time(clock) } + 500 * MILLISECOND;
    for film in &films {
        film.start(rate, 0, start);
    }
    let times: Vec<i64> = films.iter().map(|film| film.time(start + 1000 * MILLISECOND)).collect();
    println!("a second after the start: {:?} ns", times);
    films.iter().for_each(Film::wait);
    drop(films);
    unsafe { gst_object_unref(clock) };
}
