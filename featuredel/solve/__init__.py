"""solve: what a model behind a chat-completions server earns. It measures tasks; it is no agent.

    wire       answers that come whole and in time
    chat       a server, and what it answers
    talk       the words: what a model is told, and its answers in ATIF
    attempt    one model, one task: read, run commands, submit, be graded
    outcomes   a folder of attempts, and how often tasks were solved
    batch      many attempts at once

batch -> outcomes -> attempt -> talk -> chat -> wire
"""
