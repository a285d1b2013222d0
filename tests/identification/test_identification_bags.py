"""Bags of ROS 2 with joint states, written by rosbags: read as the log that they hold."""

import shutil

import any_arms as arms
import numpy as np
import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

import irbmodels as irb
from irbmodels.identification.recordings import read_recording

LOG = arms.log(1, 2.0)
STORE = get_typestore(Stores.ROS2_HUMBLE)
JOINT_STATE, STAMP, HEADER, TEXT = (
    STORE.types[name]
    for name in (
        "sensor_msgs/msg/JointState",
        "builtin_interfaces/msg/Time",
        "std_msgs/msg/Header",
        "std_msgs/msg/String",
    )
)
START = 1_700_000_000  # [s] since 1970
ORDER = ("elbow", "swing", "shoulder")
ROWS = np.array([2, 0, 1])


@pytest.fixture(scope="module")
def robot():
    return arms.truth()


def state(i, joints=ORDER, stamped=True, effort=None, velocity=()):
    ns = round(1e9 * LOG.t[i]) if stamped else 0
    stamp = STAMP(sec=(START if stamped else 0) + ns // 10**9, nanosec=ns % 10**9)
    values = LOG.q[i, ROWS] if joints == ORDER else np.zeros(len(joints))
    effort = LOG.tau[i, ROWS] if effort is None and joints == ORDER else effort
    return JOINT_STATE(
        header=HEADER(stamp=stamp, frame_id=""), name=list(joints), position=values,
        velocity=np.array(velocity, dtype=float),
        effort=np.array([] if effort is None else effort, dtype=float),
    )  # fmt: skip


def write(path, topics, plugin=StoragePlugin.SQLITE3, mode=None):
    """Write messages ``{topic: [(ns, message)]}``, in the order of their times."""
    writer = Writer(path, version=9, storage_plugin=plugin)
    if mode is not None:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer as bag:
        rows = []
        for topic, messages in topics.items():
            kind = messages[0][1].__msgtype__
            connection = bag.add_connection(topic, kind, typestore=STORE)
            rows += [(ns, connection, STORE.serialize_cdr(one, kind)) for ns, one in messages]
        for ns, connection, raw in sorted(rows, key=lambda row: row[0]):
            bag.write(connection, ns, raw)
    return path


def states(late=3_000_000, **words):
    return [(10**18 + round(1e9 * t) + late, state(i, **words)) for i, t in enumerate(LOG.t)]


@pytest.mark.parametrize("plugin", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
@pytest.mark.parametrize("alone", [False, True])
def test_a_bag_holds_the_log(tmp_path, robot, plugin, alone):
    """Joints come in the order of the robot's axes, times from headers; a lone file will do."""
    bag = write(tmp_path / "bag", {"/joint_states": states()}, plugin)
    if alone:
        (file,) = [one for one in bag.iterdir() if one.name != "metadata.yaml"]
        bag = shutil.copy(file, tmp_path / f"alone{file.suffix}")
    log = read_recording(bag, robot)
    np.testing.assert_allclose(log.t, LOG.t, atol=1e-9)
    np.testing.assert_array_equal(log.q, LOG.q)
    np.testing.assert_array_equal(log.tau, LOG.tau)
    assert log.v is None


def test_times_of_the_bag_stand_in_for_headers_without_any(tmp_path, robot):
    jitter = np.random.default_rng(1).integers(0, 10**6, len(LOG))
    rows = [(ns + int(j), m) for (ns, m), j in zip(states(stamped=False), jitter, strict=True)]
    log = read_recording(write(tmp_path / "bag", {"/joint_states": rows}), robot)
    np.testing.assert_allclose(log.t, LOG.t + 1e-9 * (jitter - jitter[0]), atol=1e-9)


def test_numbers_that_messages_lack_are_flagged(tmp_path, robot):
    """NaN efforts of a joint, a message without efforts, and a gripper on the same topic."""
    rows = states()
    for i in (10, 11):
        rows[i] = (rows[i][0], state(i, effort=[np.nan, 1.0, 2.0]))
    rows[20] = (rows[20][0], state(20, effort=[]))
    grip = [(ns + 1, state(i, joints=("finger",))) for i, (ns, _) in enumerate(rows[:5])]
    log = read_recording(write(tmp_path / "bag", {"/joint_states": rows + grip}), robot)
    assert len(log) == len(LOG)
    lost = ~np.isfinite(log.tau)
    assert np.argwhere(lost).tolist() == [[10, 2], [11, 2], [20, 0], [20, 1], [20, 2]]


def test_one_topic_is_chosen(tmp_path, robot):
    other = [(ns, state(i, effort=[0.0, 0.0, 0.0])) for i, (ns, _) in enumerate(states())]
    bag = write(tmp_path / "bag", {"/left/joint_states": states(), "/right/joint_states": other})
    with pytest.raises(
        irb.MotionError, match=r"several topics .*/left.*--topic /left/joint_states"
    ):
        read_recording(bag, robot)
    log = read_recording(bag, robot, topic="/right/joint_states")
    assert not log.tau.any()
    with pytest.raises(irb.MotionError, match=r"'/rihgt/joint_states' is no topic .*'/right/joint"):
        read_recording(bag, robot, topic="/rihgt/joint_states")


def damaged(path, places, content=b"\xff\x00\x7f"):
    """Overwrite bytes of a file at shares of its length."""
    data = bytearray(path.read_bytes())
    for share in places:
        at = int(share * (len(data) - len(content)))
        data[at : at + len(content)] = content
    path.write_bytes(data)


@pytest.mark.parametrize("plugin", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
@pytest.mark.parametrize("mode", [None, CompressionMode.FILE, CompressionMode.MESSAGE])
def test_a_damaged_bag_is_refused_or_read(tmp_path, robot, plugin, mode):
    """Whatever is damaged, the answer is a log or one line; some are refused."""
    if mode is CompressionMode.MESSAGE and plugin is StoragePlugin.MCAP:
        mode = CompressionMode.STORAGE
    rng, refused = np.random.default_rng(1), 0
    whole = write(tmp_path / "whole", {"/joint_states": states()[:50]}, plugin, mode)
    for k in range(24):
        bag = shutil.copytree(whole, tmp_path / f"{k}")
        (file,) = [one for one in bag.iterdir() if one.name != "metadata.yaml"]
        if k % 4:
            damaged(file, rng.uniform(0.0, 1.0, 1 + k % 7))
        elif k % 8:
            file.write_bytes(file.read_bytes()[: k * file.stat().st_size // 24])
        else:
            damaged(bag / "metadata.yaml", rng.uniform(0.0, 1.0, 1))
        message = ""
        try:
            read_recording(bag, robot)
        except (irb.MotionError, irb.InputError) as err:
            message = str(err)
        assert "\n" not in message
        refused += bool(message)
    assert refused > 3


def test_bags_that_tell_nothing_are_refused(tmp_path, robot):
    """No joint states: the topics that are there; other joints: their names; no bag: that."""
    bag = write(tmp_path / "words", {"/chatter": [(1, TEXT(data="a"))]})
    with pytest.raises(irb.MotionError, match=r"no topic of .*, but /chatter \(std_msgs/msg/Str"):
        read_recording(bag, robot)
    foreign = [(ns, state(i, joints=("j1", "j2", "j3"))) for i, (ns, _) in enumerate(states())]
    bag = write(tmp_path / "foreign", {"/joint_states": foreign})
    with pytest.raises(irb.MotionError, match=r"joint 'swing' is missing .*position_j1.*--column"):
        read_recording(bag, robot)
    log = read_recording(bag, robot, {f"q{i}_rad": f"position_j{i}" for i in (1, 2, 3)})
    assert not log.q.any()
    for name, content in (("a.db3", b""), ("b.mcap", b"none"), ("c.db3", b"SQLite format 3\0")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(irb.MotionError, match="cannot be read as a bag") as caught:
            read_recording(tmp_path / name, robot)
        assert "\n" not in str(caught.value)
    with pytest.raises(irb.InputError, match=r"is no bag, and has no topic '/joint_states'"):
        read_recording(tmp_path / "log.csv", robot, topic="/joint_states")
    with pytest.raises(irb.FileError, match="no such file"):
        read_recording(tmp_path / "none.mcap", robot)
