"""urdfdom: a link whose <inertial> cannot be read stays in the model, without a mass.

A joint with such a number makes parseURDF return nothing; here it writes to stderr and goes on, so
that its users (here Pinocchio's reader) compute with a weightless link.
"""

import sys
from importlib.metadata import version

import pinocchio as pin

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="link">
    <inertial>
      <mass value="{mass}"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="joint" type="revolute">
    <parent link="base"/> <child link="link"/> <axis xyz="0 0 1"/>
    <limit lower="{lower}" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>"""


def read(mass, lower):
    """Return what comes of the file."""
    try:
        model = pin.buildModelFromXML(URDF.format(mass=mass, lower=lower))
    except ValueError as error:
        return f"refused: {error}"
    return f"a link of {model.inertias[1].mass} kg"


print("cmeel-urdfdom", version("cmeel-urdfdom"), "read by pinocchio", pin.__version__)
results = [read(*numbers) for numbers in (("2.5", "-1"), ("2.5", "1,5"), ("2,5", "-1"))]
for what, result in zip(("mass 2.5", "lower limit '1,5'", "mass '2,5'"), results, strict=True):
    print(f"{what}: {result}")
sys.exit("refused" not in results[2])
