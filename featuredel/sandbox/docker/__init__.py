"""The back-end that needs a Docker engine on this machine.

    engine      the client, its errors, and what one says where there is no engine
    labels      how everything made here is found again, and whose it is
    base        the base image: found by its digest, or built with mmdebstrap
    layers      directories as layers: the same bytes whenever they are made
    images      images out of layers, without a builder
    stock       the images of environments and tasks, made when they are asked for
    pipes       the named pipes between this process and a container
    container   how a container is set up, started and removed
    back_end    the Protocol: run and open
    saved       the layers of an image one by one, for those who read them
    clean       what there is of ours, and its removal
    warden      removes what a process that was killed has left

A command sees an image: the base, a layer with the accounts of the profile, the interpreter, and
the environment, each one layer. What changes from run to run comes in through a pipe.
"""
