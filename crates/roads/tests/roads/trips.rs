//! Files of trips: what they say, and what is wrong with them.

use revealed_roads::{Position, Trip, Trips};

use crate::helpers::{file, gzip};

fn read(name: &str, bytes: &[u8]) -> Result<Vec<Trip>, String> {
    let (_directory, path) = file(name, bytes);
    let trips = Trips::open(&path).and_then(Iterator::collect);
    trips.map_err(|error| error.to_string().replace(&path.display().to_string(), name))
}

const UCI: &str = "\
TRIP_ID,CALL_TYPE,MISSING_DATA,POLYLINE
a,C,False,\"[[-8.618643,41.141412],[-8.618499,41.141376],[-8.620326,41.14251]]\"
b,C,True,\"[[-8.6,41.1]]\"
c,C,False,[]
";

#[test]
fn the_table_of_the_uci_is_read_packed_or_not() {
    let trips = read("train.csv", UCI.as_bytes()).unwrap();
    assert_eq!(trips, read("train.csv.gz", &gzip(UCI.as_bytes())).unwrap());
    assert_eq!(trips.iter().map(|trip| trip.id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(trips.iter().map(|trip| trip.missing).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(trips[0].fixes[1].position, Position { lat: 41.141376, lon: -8.618499 });
    assert_eq!(trips[0].fixes.iter().map(|fix| fix.seconds.unwrap()).collect::<Vec<_>>(), [0.0, 15.0, 30.0]);
    assert_eq!((trips[0].seconds(), trips[2].seconds()), (Some(30.0), None));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let row = |row: &str| read("t.csv", format!("{UCI}{row}\n").as_bytes()).unwrap_err();
    let error = row("d,C,False,\"[[-8.6,41.1\"");
    assert!(error.starts_with("t.csv: line 5: the POLYLINE is not [[longitude, latitude], ...]: EOF while parsing"), "{error}");
    let error = row("d,C,False,\"[[-8.6,north]]\"");
    assert!(error.starts_with("t.csv: line 5: the POLYLINE is not"), "{error}");
    assert!(row("d,C,False,\"[[-8.6]]\"").starts_with("t.csv: line 5: the POLYLINE is not"));
    assert_eq!(row("d,C"), "t.csv: line 5: it has 2 cells: the POLYLINE is missing");
    assert_eq!(row("d,C,perhaps,[]"), "t.csv: line 5: MISSING_DATA is \"perhaps\": give True or False");
    let error = read("t.csv", b"a,b\n1,2\n").unwrap_err();
    assert!(error.starts_with("t.csv: line 1: the columns are a, b: give either TRIP_ID and POLYLINE"), "{error}");
    assert!(read("t.txt", b"").unwrap_err().contains("give .csv, .csv.gz, .gpx or .gpx.gz"));
    assert!(read("t.csv", b"TRIP_ID,POLYLINE\n\xff\xfe,[]\n").unwrap_err().contains("line 2: the text is not UTF-8"));
}

#[test]
fn fixes_that_are_no_places_are_read_on() {
    let odd = |trips: Vec<Trip>| -> Vec<Vec<bool>> {
        trips.iter().map(|trip| trip.fixes.iter().map(|fix| fix.position.is_valid()).collect()).collect()
    };
    let rows = "a,False,\"[[-8.6,41.1],[500,41.1],[-8.6,null]]\"\nb,False,\"[[-8.6,41.1]]\"\n";
    let uci = read("t.csv", format!("TRIP_ID,MISSING_DATA,POLYLINE\n{rows}").as_bytes()).unwrap();
    assert_eq!(uci[0].fixes[1].position, Position { lat: 41.1, lon: 500.0 });
    assert_eq!(odd(uci), [vec![true, false, false], vec![true]]);
    let plain = read("t.csv", b"trip,lat,lon\n1,41.1,-8.6\n1,41.1,500\n1,,-8.6\n1,null,-8.6\n2,41.1,-8.6\n").unwrap();
    assert_eq!(odd(plain), [vec![true, false, false, false], vec![true]]);
    let gpx = read("t.gpx", GPX.replace("41.1", "141.1").as_bytes()).unwrap();
    assert_eq!(odd(gpx), [vec![false, true], vec![true], vec![]]);
}

#[test]
fn a_truncated_gz_is_cut_off_after_what_is_whole() {
    let mut text = UCI.to_string();
    for n in 0..5000 {
        text.push_str(&format!("n{n},C,False,\"[[-8.6{},41.1]]\"\n", n * 7919 % 1000));
    }
    let bytes = gzip(text.as_bytes());
    let (_directory, path) = file("cut.csv.gz", &bytes[..bytes.len() / 2]);
    let found: Vec<_> = Trips::open(&path).unwrap().collect();
    let error = found.last().unwrap().as_ref().unwrap_err().to_string();
    assert!(error.contains("the file is truncated"), "{error}");
    assert!(found.len() > 100 && found[..found.len() - 1].iter().all(Result::is_ok));
    assert!(read("no.csv.gz", b"TRIP_ID,POLYLINE\n").is_err());
}

#[test]
fn trips_come_one_at_a_time() {
    // What is broken farther on is no matter until it is reached.
    let (_directory, path) = file("t.csv", format!("{UCI}d,C,False,broken\ne,C,False,[]\n").as_bytes());
    let mut trips = Trips::open(path).unwrap();
    for id in ["a", "b", "c"] {
        assert_eq!(trips.next().unwrap().unwrap().id, id);
    }
    assert!(trips.next().unwrap().is_err());
    assert!(trips.next().is_none());
}

#[test]
fn the_first_trip_may_be_read_alone() {
    let (_directory, path) = file("t.csv", UCI.as_bytes());
    assert_eq!(Trips::first(&path).unwrap().id, "a");
    let (_directory, path) = file("t.csv", b"TRIP_ID,POLYLINE\n");
    assert!(Trips::first(&path).unwrap_err().to_string().ends_with("t.csv: there is no trip in it"));
}

#[test]
fn a_plain_table_has_a_fix_a_row() {
    let text = "trip,time,lat,lon\n1,0,41.1,-8.6\n1,10,41.2,-8.5\n2,5,41.3,-8.4\n2,,41.4,-8.3\n";
    let trips = read("t.csv", text.as_bytes()).unwrap();
    assert_eq!(trips.iter().map(|trip| (trip.id.as_str(), trip.fixes.len())).collect::<Vec<_>>(), [("1", 2), ("2", 2)]);
    assert_eq!(trips[0].fixes[1].position, Position { lat: 41.2, lon: -8.5 });
    assert_eq!((trips[0].seconds(), trips[1].seconds()), (Some(10.0), None));
    let error = read("t.csv", b"trip,lat,lon\n1,41.1,-8.6\n1,north,-8.6\n").unwrap_err();
    assert_eq!(error, "t.csv: line 3: the lat is \"north\": give a number");
    // Sorted by time instead of by trip.
    let error = read("t.csv", b"trip,time,lat,lon\na,0,41.1,-8.6\nb,1,41.1,-8.6\na,2,41.1,-8.6\n").unwrap_err();
    assert_eq!(error, "t.csv: line 4: the rows of trip a are not together: sort the table by trip");
}

const GPX: &str = r#"<?xml version="1.0"?>
<gpx version="1.1"><metadata><name>file</name><time>2020-01-01T00:00:00Z</time></metadata>
<trk><name>to work</name><trkseg>
<trkpt lat="41.1" lon="-8.6"><ele>3</ele><time>2015-01-01T11:35:02Z</time></trkpt>
<trkpt lat="41.2" lon="-8.5"><time>2015-01-01T12:35:32.5+01:00</time><name>a point</name></trkpt>
</trkseg><trkseg><trkpt lat="41.3" lon="-8.4"/></trkseg></trk>
<trk><trkseg></trkseg></trk></gpx>"#;

#[test]
fn segments_of_tracks_are_trips() {
    let trips = read("t.gpx", GPX.as_bytes()).unwrap();
    assert_eq!(trips, read("t.gpx.gz", &gzip(GPX.as_bytes())).unwrap());
    let names: Vec<_> = trips.iter().map(|trip| (trip.id.as_str(), trip.fixes.len())).collect();
    assert_eq!(names, [("to work", 2), ("to work (2)", 1), ("track 2", 0)]);
    assert_eq!(trips[0].fixes[1].position, Position { lat: 41.2, lon: -8.5 });
    // 2015-01-01T11:35:02Z by `date -u -d ... +%s`.
    assert_eq!(trips[0].fixes[0].seconds, Some(1_420_112_102.0));
    assert_eq!(trips[0].seconds(), Some(30.5));
    assert_eq!(trips[1].fixes[0].seconds, None);
}

#[test]
fn tracks_of_one_name_are_numbered() {
    let tracks = |names: &[&str]| {
        let tracks: String = names.iter().map(|name| format!("<trk><name>{name}</name><trkseg/><trkseg/></trk>")).collect();
        let trips = read("t.gpx", format!("<gpx>{tracks}</gpx>").as_bytes()).unwrap();
        trips.into_iter().map(|trip| trip.id).collect::<Vec<_>>()
    };
    assert_eq!(tracks(&["a", "b", "a"]), ["a", "a (2)", "b", "b (2)", "a (3)", "a (4)"]);
    assert_eq!(tracks(&["a (2)", "a"]), ["a (2)", "a (2) (2)", "a", "a (3)"]);
}

#[test]
fn a_gpx_without_tracks_says_so() {
    let error = read("t.gpx", b"<gpx><wpt lat=\"1\" lon=\"2\"/></gpx>").unwrap_err();
    assert_eq!(error, "t.gpx: it has no tracks: trips are read from <trkseg>, not from waypoints or routes");
}

#[test]
fn entities_of_names_are_what_they_stand_for() {
    let named = |name: &str| read("t.gpx", GPX.replace("to work", name).as_bytes()).map(|trips| trips[0].id.clone());
    assert_eq!(named("Caf&#233; &amp; bar &lt;S&#xE3;o Jo&#227;o&gt;").unwrap(), "Café & bar <São João>");
    assert_eq!(named("&quot;a&apos;b&quot;<![CDATA[ &amp; c]]>").unwrap(), "\"a'b\" &amp; c");
    assert_eq!(named("a&nbsp;b").unwrap(), "a&nbsp;b");
    assert!(named("a&#xFFFFFFF;b").unwrap_err().starts_with("t.gpx: not valid GPX, at byte"));
}

#[test]
fn broken_gpx_is_refused() {
    let broken = |from: &str, to: &str| read("t.gpx", GPX.replace(from, to).as_bytes()).unwrap_err();
    assert!(broken("</trk></gpx>", "").contains("the file ends before </gpx>: it is truncated"));
    assert!(broken("lat=\"41.1\"", "").contains("a point of a track has no lat"));
    assert!(broken("41.1", "x").contains("the lat of a point is \"x\": give a number"));
    assert!(broken("2015-01-01T11:35:02Z", "noon").contains("the time \"noon\" is not valid"));
    assert!(read("t.gpx", b"hello").unwrap_err().contains("there is no element <gpx>"));
}
