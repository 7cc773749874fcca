#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let target = revealed_fuzz::target("model_json").expect("it is among the targets");
    let _ = (target.run)(&mut revealed_fuzz::Scratch::new(), input);
});
