!> Spatial order, memory, what the last query did, and names that the library gives.
submodule (neargrid) neargrid_info
    use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_null_char, c_size_t
    use neargrid_errors, only: no_memory, text_length
    implicit none (type, external)

contains

    module procedure spatial_order
        integer(c_int), allocatable :: new(:)
        integer(int64) :: n
        integer(c_int) :: status
        integer :: unallocated

        status = neargrid_search_counter(owned(self), neargrid_counter_points, n)
        if (status == neargrid_status_ok) then
            allocate (new(n), stat=unallocated)
            if (no_memory(unallocated, n, "order", stat, errmsg)) return
            status = neargrid_search_order(owned(self), n, new)
        end if
        if (status == neargrid_status_ok) call move_alloc(new, perm)
        call report_on(owned(self), status, "order", stat, errmsg)
    end procedure spatial_order

    module procedure trim_memory
        call report_on(owned(self), neargrid_search_trim(owned(self)), "trim", stat, errmsg)
    end procedure trim_memory

    module procedure info
        character(kind=c_char, len=:), allocatable :: buffer
        integer(c_size_t) :: length
        integer(c_int) :: status

        allocate (character(kind=c_char, len=1) :: buffer)
        status = neargrid_search_info(owned(self), buffer, 0_c_size_t, length)
        if (status == neargrid_status_ok) then
            deallocate (buffer)
            allocate (character(kind=c_char, len=length + 1) :: buffer)
            status = neargrid_search_info(owned(self), buffer, length + 1, length)
        end if
        if (status == neargrid_status_ok) text = buffer(1:length)
        call report_on(owned(self), status, "info", stat, errmsg)
    end procedure info

    module procedure counter
        call report_on(owned(self), neargrid_search_counter(owned(self), which, value), "counter", &
                       stat, errmsg)
    end procedure counter

    module procedure timing
        call report_on(owned(self), neargrid_search_timing(owned(self), phase, seconds), "timing", &
                       stat, errmsg)
    end procedure timing

    module procedure version_text
        version = to_string(c_version())
    end procedure version_text

    module procedure status_text
        name = to_string(c_status_name(status))
    end procedure status_text

    ! A static C string of the library.
    function to_string(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: length, letter

        call c_f_pointer(address, letters, [text_length])
        length = 0
        do while (letters(length + 1) /= c_null_char)
            length = length + 1
        end do
        allocate (character(len=length) :: text)
        do letter = 1, length
            text(letter:letter) = letters(letter)
        end do
    end function to_string

end submodule neargrid_info
