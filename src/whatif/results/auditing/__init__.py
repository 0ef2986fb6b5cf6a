"""The shortcut audit of anybody's benchmark: how well it is answered without its pictures, item by item."""
