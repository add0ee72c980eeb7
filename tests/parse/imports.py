# RUN: %kernc %s --emit=ast | %FileCheck %s
# Every form of import. In a .py file nothing need be found.
import a.b, c as d
from e import f, g as h
from . import (i,
               j,)
from ...k.l import *
# CHECK: Module
# CHECK-NEXT: Import a.b as a
# CHECK-NEXT: Import c as d
# CHECK-NEXT: FromImport e
# CHECK-NEXT: {{^ +}}f
# CHECK-NEXT: {{^ +}}g as h
# CHECK-NEXT: FromImport .
# CHECK-NEXT: {{^ +}}i
# CHECK-NEXT: {{^ +}}j
# CHECK-NEXT: FromImport ...k.l
# CHECK-NEXT: {{^ +}}*
