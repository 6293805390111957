"""A recording of two hands at 1000 Hz, of any length, for tests of what handles recordings."""
import math

RATE_HZ = 1000


def write_dense(path, seconds, trackers=0):
    """Two hands at 1000 Hz whose blades cross and part some three times in two seconds. Trackers stand by, so that there is
    more to write."""
    others = "".join(f',{{"device":"tracker/{i}","position":[{i},0.123456791,0.987654328],"orientation":[0,0,0,1],"tracked":true}}'
                     for i in range(trackers))
    with open(path, "w") as file:
        file.write('{"type":"recording","version":1,"space":"stage"}\n')
        for i in range(seconds * RATE_HZ):
            t = i / RATE_HZ
            turn = 0.15 * (1 + math.sin(9 * t))  # half of what each blade turns inwards
            hands = ",".join(f'{{"device":"/user/hand/{hand}","position":[{side * 0.25:.9g},{1 + side * 0.005:.9g},'
                             f'{0.1 * math.sin(5 * t):.9g}],"orientation":[0,{side * math.sin(turn):.9g},0,'
                             f'{math.cos(turn):.9g}],"tracked":true}}' for hand, side in (("left", -1), ("right", 1)))
            file.write(f'{{"type":"poses","time_ns":{i * 1000000},"poses":[{hands}{others}]}}\n')
