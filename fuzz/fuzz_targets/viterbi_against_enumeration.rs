#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let target = revealed_fuzz::target("viterbi_against_enumeration").expect("it is among the targets");
    let _ = (target.run)(&mut revealed_fuzz::Scratch::new(), input);
});
