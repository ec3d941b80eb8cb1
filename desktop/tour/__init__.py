"""The tour: the whole main job, played in the real window on a copy of the sample project.

Nothing is pretended: the same window, door, tools and log as always, with the offline helper, no key and no
network. Keys are sent to the composer and buttons are pressed by their names. Each step says what happened,
leaves a picture, and checks its facts against the files and the log; the first fact that does not hold ends
the tour with code 1.

It works in a temporary folder with a data folder of its own, and leaves nothing behind but the pictures.
"""
