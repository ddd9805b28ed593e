"""What select takes on many tasks: a dataset of the columns that it reads, in groups of a real one."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.selection.world import world
from featuredel import tables
from featuredel.model import CalibrationRow, Task
from featuredel.selection.calibrate import calibration_rows
from featuredel.selection.outcomes import count
from featuredel.selection.pool import COLUMNS, REGISTERS, Pool
from featuredel.selection.posterior import fit, posterior
