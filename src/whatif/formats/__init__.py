"""Files of others, read and written: released data sets, predictions, and what evaluation tools expect.

Begin with `prediction_files.py` (responses in any of the usual forms) or with the module named for a data set, such as
`c_vqa.py` or `coco_photographs.py`. `hugging_face_folder.py` and `evaluation_tools.py` write. A wrong file is one line
that names the file, the row and what would be right.

It imports `engine` alone; every package above it may import it.
"""
