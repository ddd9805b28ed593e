"""The gates that a candidate passes: each returns what it saw, or raises `Rejected`.

    trial <- static, runs, worth

Evidence is JSON that depends on the candidate alone: no clock, no path of this machine.
"""
