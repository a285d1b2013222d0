"""Draw the pictures of docs/howto/tools: the exported IRB 2400 in other tools, each drawn by its own
renderer.

    python scripts/tool_pictures.py [TOOL ...]

Needs the tools (pip install '.[dev]'); Pinocchio and yourdfpy draw in the program chromium, MuJoCo
and Drake with EGL. Nothing is retouched: larger pictures of renderers without smooth edges are
scaled down, and the menu of a page is left out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.progress import track

import irbmodels as irb
from irbmodels.exchange.write import Options, export
from irbmodels.viewer.browser import screenshot

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "tools"
WIDTH, HEIGHT = 600, 450
SHOWN = (25.0, 15.0, 5.0, 0.0, 35.0, 0.0)  # as on the controller
EYE, TARGET = np.array([3.1, -2.5, 1.6]), np.array([0.38, 0.12, 0.74])
FIELD = 31.0  # of view, vertical, degrees

Array = NDArray[Any]


def mujoco(robot: irb.Robot, q: Array, folder: Path) -> Array:
    """MuJoCo's renderer, on the scene that is exported with the robot."""
    os.environ.setdefault("MUJOCO_GL", "egl")
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(export(robot, "mjcf", folder)[1]))
    data, camera = mujoco.MjData(model), mujoco.MjvCamera()
    data.qpos[:6] = robot.limits.A @ q
    data.qpos[6:] = q[2], q[1] - q[2]
    mujoco.mj_forward(model, data)
    away = TARGET - EYE
    camera.lookat[:], camera.distance = TARGET, np.linalg.norm(away)
    camera.azimuth = np.degrees(np.arctan2(away[1], away[0]))
    camera.elevation = np.degrees(np.arcsin(away[2] / camera.distance))
    model.vis.global_.fovy = FIELD
    with mujoco.Renderer(model, HEIGHT, WIDTH) as renderer:
        renderer.update_scene(data, camera)
        return np.array(renderer.render())


def drake(robot: irb.Robot, q: Array, folder: Path) -> Array:
    """Drake's RenderEngineVtk."""
    from pydrake.geometry import (
        ClippingRange,
        ColorRenderCamera,
        DepthRange,
        DepthRenderCamera,
        LightParameter,
        MakeRenderEngineVtk,
        RenderCameraCore,
        RenderEngineVtkParams,
    )
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.sensors import CameraInfo, RgbdSensor

    builder: Any = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 1e-3)
    lights = [
        LightParameter(type="directional", direction=away, frame="camera", intensity=much)
        for away, much in LIGHTS
    ]
    scene.AddRenderer(
        "vtk",
        MakeRenderEngineVtk(
            RenderEngineVtkParams(lights=lights, default_clear_color=[0.93, 0.94, 0.96])
        ),
    )
    Parser(plant).AddModels(str(export(robot, "urdf", folder)[0]))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base_link"))
    plant.Finalize()

    forward = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    right = np.cross(forward, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(forward, [0.0, 0.0, 1.0]))
    looking = RigidTransform(
        RotationMatrix(np.column_stack([right, np.cross(forward, right), forward])), EYE
    )
    core = RenderCameraCore(
        "vtk",
        CameraInfo(WIDTH, HEIGHT, np.radians(FIELD)),
        ClippingRange(0.1, 20.0),
        RigidTransform(),
    )
    color, depth = ColorRenderCamera(core, False), DepthRenderCamera(core, DepthRange(0.1, 10.0))
    sensor = builder.AddSystem(RgbdSensor(scene.world_frame_id(), looking, color, depth))
    builder.Connect(scene.get_query_output_port(), sensor.query_object_input_port())
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    names = plant.GetPositionNames(add_model_instance_prefix=False, always_add_suffix=False)
    plant.SetPositions(plant.GetMyContextFromRoot(context), by_name(robot, q, names))
    return np.array(
        sensor.color_image_output_port().Eval(sensor.GetMyContextFromRoot(context)).data[..., :3]
    )


def pybullet(robot: irb.Robot, q: Array, folder: Path) -> Array:
    """PyBullet's TinyRenderer."""
    import pybullet

    here = {"physicsClientId": pybullet.connect(pybullet.DIRECT)}  # the process may have others
    try:
        body = pybullet.loadURDF(
            str(export(robot, "urdf", folder, Options("serial"))[0]), useFixedBase=True, **here
        )
        joints = [
            pybullet.getJointInfo(body, i, **here)
            for i in range(pybullet.getNumJoints(body, **here))
        ]
        moving = [joint[0] for joint in joints if joint[2] != pybullet.JOINT_FIXED]
        for joint, position in zip(moving, robot.limits.A @ q, strict=True):
            pybullet.resetJointState(body, joint, float(position), **here)
        view = pybullet.computeViewMatrix(EYE.tolist(), TARGET.tolist(), [0, 0, 1])
        lens = pybullet.computeProjectionMatrixFOV(FIELD, WIDTH / HEIGHT, 0.1, 20.0)
        light = {
            "lightDirection": [2.0, -3.0, 3.0],
            "lightAmbientCoeff": 0.55,
            "lightDiffuseCoeff": 0.6,
            "lightSpecularCoeff": 0.1,
        }
        width, height, pixels, *_ = pybullet.getCameraImage(
            2 * WIDTH,
            2 * HEIGHT,
            view,
            lens,
            renderer=pybullet.ER_TINY_RENDERER,
            shadow=0,
            **light,
            **here,
        )
        return np.reshape(pixels, (height, width, 4))[..., :3].astype(np.uint8)
    finally:
        pybullet.disconnect(**here)


def pinocchio(robot: irb.Robot, q: Array, folder: Path) -> Array:
    """Pinocchio's MeshcatVisualizer."""
    import pinocchio as pin
    from pinocchio.visualize import MeshcatVisualizer

    file = export(robot, "urdf", folder, Options("serial"))[0]
    model, collision, visual = pin.buildModelsFromUrdf(str(file), package_dirs=[str(folder)])
    shown: Any = MeshcatVisualizer(model, collision, visual)
    shown.initViewer(open=False, loadModel=True)
    shown.display(robot.limits.A @ q)
    middle, (x, y, z) = np.eye(4), EYE - TARGET
    middle[:3, 3] = -TARGET  # meshcat's camera looks at the origin
    shown.viewer["pinocchio"].set_transform(middle)
    # three.js has y up
    shown.viewer["/Cameras/default/rotated/<object>"].set_property("position", [x, z, -y])
    shown.viewer["/Cameras/default/rotated/<object>"].set_property("zoom", ZOOM)
    for part in ("/Grid", "/Axes"):
        shown.viewer[part].set_property("visible", False)
    shown.setBackgroundColor(col_top=[0.93, 0.94, 0.96])
    page = shown.viewer.static_html().replace(
        "</head>", "<style>.dg { display: none }</style></head>"
    )  # its menu
    shown.viewer.window.server_proc.terminate()
    return photograph(page, folder)


def yourdfpy(robot: irb.Robot, q: Array, folder: Path) -> Array:
    """The page that trimesh, which keeps yourdfpy's scene, draws in a notebook."""
    import yourdfpy
    from trimesh.transformations import rotation_matrix
    from trimesh.viewer import scene_to_html
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    model = yourdfpy.URDF.load(str(export(robot, "urdf", folder)[0]))
    model.update_cfg(q)
    # a mesh without a material of GLTF is drawn as bare metal: dark
    for mesh in model.scene.geometry.values():
        color = mesh.visual.main_color
        matte = PBRMaterial(baseColorFactor=color, metallicFactor=0.35, roughnessFactor=0.7)
        mesh.visual = TextureVisuals(material=matte)
    back = (EYE - TARGET) / np.linalg.norm(EYE - TARGET)
    right = np.cross([0.0, 0.0, 1.0], back) / np.linalg.norm(np.cross([0.0, 0.0, 1.0], back))
    camera = np.eye(4)
    camera[:3, :3], camera[:3, 3] = np.column_stack([right, np.cross(back, right), back]), EYE
    model.scene.camera.resolution, model.scene.camera.fov = (
        (WIDTH, HEIGHT),
        (FIELD * WIDTH / HEIGHT, FIELD),
    )
    model.scene.camera_transform = camera
    model.scene.apply_transform(rotation_matrix(-np.pi / 2, [1.0, 0.0, 0.0]))  # the page has y up
    return photograph(scene_to_html(model.scene), folder)


def roboticstoolbox(robot: irb.Robot, q: Array, folder: Path) -> Array:
    """Robotics Toolbox's stick figure (backend pyplot)."""
    import matplotlib as mpl

    mpl.use("Agg")
    import roboticstoolbox
    from roboticstoolbox.models.URDF.URDFRobot import URDF_file

    links, name, _ = URDF_file(str(export(robot, "urdf", folder, Options("serial"))[0]))
    arm: Any = roboticstoolbox.Robot(links, name=name)
    limits = [-0.5, 1.3, -0.8, 1.0, 0.0, 1.6]
    drawing = arm.plot(robot.limits.A @ q, backend="pyplot", block=False, limits=limits)
    drawing.ax.view_init(elev=22, azim=-55)
    drawing.ax.set_box_aspect((1.8, 1.8, 1.6), zoom=1.05)
    drawing.fig.set_size_inches(WIDTH / 100, HEIGHT / 100)
    drawing.fig.savefig(folder / "figure.png", dpi=200)
    return opened(folder / "figure.png")


# meshcat's own field is 75 degrees
ZOOM = float(np.tan(np.radians(75.0 / 2)) / np.tan(np.radians(FIELD / 2)))
# direction in the camera's axes (x right, y down), intensity
LIGHTS = (([0.35, 0.55, 1.0], 1.0), ([-1.0, -0.2, 0.4], 0.4))
TOOLS: dict[str, Callable[[irb.Robot, Array, Path], Array]] = {
    "mujoco": mujoco,
    "drake": drake,
    "pybullet": pybullet,
    "pinocchio": pinocchio,
    "yourdfpy": yourdfpy,
    "roboticstoolbox": roboticstoolbox,
}


def by_name(robot: irb.Robot, q: Array, names: list[str]) -> Array:
    """Return the positions of joints, followers too, in a tool's own order."""
    coupling = robot.whole_tree.coupling
    return np.asarray((coupling.G @ q)[[coupling.joints.index(name) for name in names]])


def photograph(page: str, folder: Path) -> Array:
    """Return the picture of a page."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    screenshot(folder / "page.html", folder / "page.png", WIDTH, HEIGHT)
    return opened(folder / "page.png")


def opened(path: Path) -> Array:
    """Return the pixels of a picture."""
    with Image.open(path) as picture:
        return np.array(picture.convert("RGB"))


def main() -> int:
    """Write the pictures, or some of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "tool", nargs="*", choices=[*TOOLS, []], help="tools to draw with; default all"
    )
    wanted = parser.parse_args().tool or list(TOOLS)
    FOLDER.mkdir(parents=True, exist_ok=True)
    robot = irb.load("irb2400", tool="spindle")
    for tool in track(wanted, description="pictures", disable=not sys.stderr.isatty()):
        path = FOLDER / f"{tool}.png"
        with tempfile.TemporaryDirectory() as folder:
            drawn = Image.fromarray(
                TOOLS[tool](robot, robot.from_controller(SHOWN), Path(folder) / "arm")
            )
        drawn.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(path, optimize=True)
        print(f"docs/pictures/tools/{tool}.png: {path.stat().st_size / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
