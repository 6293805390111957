"""clashd on Monado while a game, hello_xr, runs in another session, started before clashd and then after it: the game
goes on drawing, clashd goes on finding every crossing."""
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import monado_root

CROSSINGS = 100 if os.environ.get("CLASHD_LONG") else 30
PARTS = 8  # of a script, in each of which the game must draw


def play_beside(game, feeder, scripts, index):
    """Plays the script; when it began. Fails where the game draws nothing for an eighth of it."""
    counts = [game.frames()]
    done = threading.Event()

    def count():
        while not done.wait(scripts[index].duration / PARTS):
            counts.append(game.frames())

    counter = threading.Thread(target=count, daemon=True)
    counter.start()
    started = play(feeder, scripts, index)
    done.set()
    counter.join()
    drawn = [after - before for before, after in zip(counts, counts[1:])]
    assert len(drawn) >= PARTS and min(drawn) > 0, f"frames that the game drew in each part of the script: {drawn}"
    print(f"The game drew {sum(drawn)} frames in {scripts[index].duration:.0f} s.")
    return started


def game_first(room, feeder, scripts):
    with Game(room, "game-first") as game:
        with Clashd(room, "clashd-second") as clashd:
            clashd.wait_tracked()
            started = play_beside(game, feeder, scripts, 0)
            clashd.check_alive()
        frames = game.frames()
        wait_until(lambda: game.frames() > frames + 10, "frames after the end of clashd")
    judge(clashd, Played(scripts[0], started))


def clashd_first(room, feeder, scripts):
    with Clashd(room, "clashd-first") as clashd:
        clashd.wait_tracked()
        with Game(room, "game-second") as game:
            started = play_beside(game, feeder, scripts, 1)
        clashd.check_alive()
        clashd.wait_tracked()
    judge(clashd, Played(scripts[1], started))


def run():
    scripts = [Script(4, CROSSINGS), Script(5, CROSSINGS)]
    with Room("monado-game") as room:
        build_counter()
        room.start_service()
        with Feeder(scripts, room.logs / "sent") as feeder:
            game_first(room, feeder, scripts)
            clashd_first(room, feeder, scripts)


if __name__ == "__main__":
    monado_root.enter(__file__)
    from monado_check import Played
    from monado_clashd import Clashd, play
    from monado_feeder import Feeder
    from monado_game import Game, build_counter
    from monado_judge import judge
    from monado_room import Room, build, wait_until
    from monado_script import Script

    build()
    run()
