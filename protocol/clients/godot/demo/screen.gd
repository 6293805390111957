# What is written: the title, whether clashd is there, both sides' points, what has just happened, the result.
extends Control

const GOLD := Color(0.96, 0.8, 0.42)
const RED := Color(0.86, 0.16, 0.12)
const INK := Color(0.03, 0.025, 0.03)

var _title := _label(76, GOLD)
var _under := _label(24, Color(0.95, 0.92, 0.85))
var _status := _label(19, Color(0.95, 0.92, 0.85))
var _call := _label(52, Color.WHITE)
var _sides: Array[HBoxContainer] = []
var _veil := ColorRect.new()
var _band := ColorRect.new()
var _box := PanelContainer.new()


func _ready() -> void:
	set_anchors_preset(PRESET_FULL_RECT)
	mouse_filter = MOUSE_FILTER_IGNORE
	_veil.color = Color(RED, 0.0)
	_veil.set_anchors_preset(PRESET_FULL_RECT)
	_veil.mouse_filter = MOUSE_FILTER_IGNORE
	add_child(_veil)
	_band.color = Color(INK, 0.66)
	_place(_band, 0.05, 0.16, 0.5, 0.72)
	_place(_title, 0.05, 0.2, 0.5, 0.4)
	_place(_under, 0.07, 0.4, 0.48, 0.7)
	_place(_call, 0.0, 0.6, 1.0, 0.74)
	_add_box()
	for i in 2:
		var side := HBoxContainer.new()
		side.add_theme_constant_override("separation", 10)
		side.alignment = BoxContainer.ALIGNMENT_BEGIN if i == 0 else BoxContainer.ALIGNMENT_END
		_place(side, 0.03 if i == 0 else 0.55, 0.04, 0.45 if i == 0 else 0.97, 0.12)
		_sides.append(side)


## In big letters over the room, and smaller ones below; empty for none.
func show_title(title: String, under: String) -> void:
	_title.text = title
	_under.text = under
	_band.visible = not title.is_empty()


## What a player should do before anything else; empty for nothing.
func show_status(words: String, is_trouble: bool) -> void:
	_status.text = words
	_box.visible = not words.is_empty()
	_status.add_theme_color_override("font_color", Color(1.0, 0.75, 0.6) if is_trouble else Color(0.7, 0.9, 0.7))


func status() -> String:
	return _status.text


func show_points(player: int, opponent: int, of: int) -> void:
	for i in 2:
		for child in _sides[i].get_children():
			child.free()
		var who := _label(22, Color(0.95, 0.92, 0.85))
		who.autowrap_mode = TextServer.AUTOWRAP_OFF
		who.text = "You" if i == 0 else "Kurogane"
		_sides[i].add_child(who)
		for n in of:
			_sides[i].add_child(_pip(n < (player if i == 0 else opponent)))
		if i == 1:
			_sides[i].move_child(who, -1)
		_sides[i].visible = of > 0


## For a moment.
func call_out(words: String, color: Color) -> void:
	_call.text = words
	_call.add_theme_color_override("font_color", color)
	_call.modulate.a = 1.0
	var tween := create_tween()
	tween.tween_interval(0.5)
	tween.tween_property(_call, "modulate:a", 0.0, 0.4)


func bleed() -> void:
	_veil.color.a = 0.45
	create_tween().tween_property(_veil, "color:a", 0.0, 0.5)


func _add_box() -> void:
	var style := StyleBoxFlat.new()
	style.bg_color = Color(INK, 0.82)
	style.set_corner_radius_all(6)
	style.set_content_margin_all(10)
	_box.add_theme_stylebox_override("panel", style)
	_box.add_child(_status)
	_place(_box, 0.1, 0.86, 0.9, 0.97)


func _pip(is_there: bool) -> Control:
	var pip := Panel.new()
	var style := StyleBoxFlat.new()
	style.bg_color = GOLD if is_there else Color(INK, 0.6)
	style.border_color = INK if is_there else Color(GOLD, 0.5)
	style.set_border_width_all(2)
	style.set_corner_radius_all(13)
	pip.add_theme_stylebox_override("panel", style)
	pip.custom_minimum_size = Vector2(26, 26)
	pip.size_flags_vertical = Control.SIZE_SHRINK_CENTER
	return pip


func _place(what: Control, left: float, top: float, right: float, bottom: float) -> void:
	what.anchor_left = left
	what.anchor_top = top
	what.anchor_right = right
	what.anchor_bottom = bottom
	what.mouse_filter = MOUSE_FILTER_IGNORE
	add_child(what)


static func _label(font: int, color: Color) -> Label:
	var label := Label.new()
	label.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
	label.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.add_theme_font_size_override("font_size", font)
	label.add_theme_color_override("font_color", color)
	label.add_theme_color_override("font_outline_color", INK)
	label.add_theme_constant_override("outline_size", maxi(4, int(font * 0.2)))
	return label
