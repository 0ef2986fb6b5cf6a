"""A project of one's own: a repository with one benchmark that runs through all six stages at once."""

from whatif.commands.new_project.names import Names, checked_names
from whatif.commands.new_project.project import Made, make_project, own_files

__all__ = ["Made", "Names", "checked_names", "make_project", "own_files"]
